// Asks with @inquirer/prompts what its argument names.
const { select, checkbox, confirm, input, password, search } = require('@inquirer/prompts')
const asks = {
  select: () => select({ message: 'Pick a colour', choices: ['red', 'green', 'blue'] }),
  checkbox: () => checkbox({ message: 'Pick fruit', choices: ['apple', 'pear', 'plum'] }),
  confirm: () => confirm({ message: 'Deploy now?' }),
  input: () => input({ message: 'Your name?' }),
  password: () => password({ message: 'Your token?', mask: true }),
}
asks[process.argv[2]]().then(v => console.log('got ' + JSON.stringify(v)))
