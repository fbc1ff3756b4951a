# Asks for what a program that is set up for the first time asks.
import getpass
import sys
import time

name = input("User name: ")
while True:
    port = input("Port [8080]: ")
    if port.isdigit():
        break
    print("That is not a number.", file=sys.stderr)
word = getpass.getpass("Password for %s: " % name)
print("Checking the connection...")
time.sleep(2)
if input("Save to disk? [Y/n] ").lower() != "n":
    print("Saved.")
print("%s %s %d" % (name, port, len(word)))
