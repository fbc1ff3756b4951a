# Reads a line and answers it; "order" is answered by a numbered menu.
while printf 'you> ' && read -r line; do
  if [ "$line" = order ]; then
    printf 'Which size?\n  1. small\n  2. large\nYour choice: '
    read -r n
    case $n in 1) echo small it is ;; *) echo large it is ;; esac
  else
    echo "you said $line"
  fi
done
