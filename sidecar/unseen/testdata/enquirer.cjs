// Asks with enquirer what its argument names.
const { prompt } = require('enquirer')
const choices = ['red', 'green', 'blue']
const asks = {
  select: { type: 'select', message: 'Pick a colour', choices },
  multiselect: { type: 'multiselect', message: 'Pick colours', choices },
  confirm: { type: 'confirm', message: 'Deploy now?' },
  input: { type: 'input', message: 'Your name?' },
  password: { type: 'password', message: 'Your token?' },
}
prompt({ name: 'v', ...asks[process.argv[2]] }).then(({ v }) => console.log('got ' + JSON.stringify(v)))
