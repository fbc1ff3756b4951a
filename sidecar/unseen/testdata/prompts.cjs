// Asks with prompts what its argument names.
const prompts = require('prompts')
const choices = ['red', 'green', 'blue'].map(title => ({ title, value: title }))
const asks = {
  select: { type: 'select', message: 'Pick a colour', choices },
  multiselect: { type: 'multiselect', message: 'Pick colours', choices },
  confirm: { type: 'confirm', message: 'Deploy now?', initial: true },
  text: { type: 'text', message: 'Your name?' },
  toggle: { type: 'toggle', message: 'Cache?', active: 'on', inactive: 'off' },
}
prompts({ name: 'v', ...asks[process.argv[2]] }).then(({ v }) => console.log('got ' + JSON.stringify(v)))
