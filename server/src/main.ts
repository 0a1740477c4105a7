import { explainError } from './cli/explain-error.ts'
import { runCommand } from './cli/run-command.ts'

try {
  const { stdin, stdout, stderr } = process
  process.exitCode = await runCommand(process.argv.slice(2), process.env, { stdin, stdout, stderr })
} catch (error) {
  const { line, status } = explainError(error)
  process.stderr.write(`muster: ${line}\n`)
  process.exit(status)
}
