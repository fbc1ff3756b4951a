// Asks with @clack/prompts one thing after the other, as its setup programs do.
const p = require('@clack/prompts')
async function main() {
  p.intro('create-thing')
  const name = await p.text({ message: 'Project name?' })
  const kind = await p.select({ message: 'Pick a template', options: ['basic', 'full', 'none'].map(value => ({ value, label: value })) })
  const tools = await p.multiselect({ message: 'Pick tools', options: ['lint', 'test', 'docs'].map(value => ({ value, label: value })), required: false })
  const go = await p.confirm({ message: 'Install now?' })
  const s = p.spinner()
  s.start('Installing')
  await new Promise(done => setTimeout(done, 2000))
  s.stop('Installed')
  p.outro(['made', name, kind, tools.join('+') || 'nothing', go].join(' '))
}
main()
