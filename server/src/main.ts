import { limitFreedMemory } from './cli/limit-freed-memory.ts'

// Before anything else is loaded, because it starts again.
limitFreedMemory()
const { runCommand } = await import('./cli/run-command.ts')
const { stdin, stdout, stderr } = process
// A reader of the output may end early, as `head` does. The command still does its work.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

try {
  process.exitCode = await runCommand(process.argv.slice(2), process.env, { stdin, stdout, stderr })
} catch (error) {
  const { explainError } = await import('./cli/explain-error.ts')
  const { line, status } = explainError(error)
  process.stderr.write(`muster: ${line}\n`)
  process.exit(status)
}
