# Shows its prompt at once, and works behind it before it answers.
printf '> '
while read -r line; do
  printf '> '
  sleep 2
  echo "answer to $line"
  printf '> '
done
