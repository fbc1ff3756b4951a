# What a debugger is shown.
import time


def half(n):
    return n // 2


def main():
    total = 0
    for n in (2, 4, 6):
        total += half(n)
    time.sleep(2)
    print("total", total)
    name = input("Enter a value: ")
    print(len(name))


main()
