import { statSync } from 'node:fs'
import { ConfigError } from '../config/parsers.ts'
import { BackupError } from '../storage/backup/format.ts'
import { writeBackup } from '../storage/backup/write-backup.ts'
import { version } from '../version.ts'
import type { AdminCommand } from './command.ts'
import { inspectDatabase } from './inspect-database.ts'
import { createProgress } from './progress.ts'
import { readArguments } from './read-arguments.ts'

export const backup: AdminCommand = {
  name: 'backup',
  summary: 'Write all data to a file. The secret key is not part of it: store it elsewhere.',
  usage: 'FILE',
  examples: [
    'backup /backup/muster-1.backup   while the server runs or is stopped',
    'backup muster.backup --database-url postgres://muster@db/muster --secret-key-file /etc/muster/secret.key',
  ],
  async run(args, config, { stdout, stderr }) {
    const file = readFile(args)
    const started = performance.now()
    let rows = 0
    try {
      // The server may run meanwhile: both engines give a reader one state of the data.
      await inspectDatabase(config, (connection) =>
        connection
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute(async (snapshot) => {
            rows = await writeBackup(snapshot, file, version, createProgress(stderr))
          }),
      )
    } catch (error) {
      throw error instanceof BackupError ? new ConfigError(`${file}: ${error.message}`) : error
    }
    const size = (statSync(file).size / 2 ** 20).toFixed(2)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    stdout.write(`${file}: ${rows.toLocaleString('en')} rows, ${size} MiB, ${seconds} s.\n`)
    stdout.write(
      `A restore needs the secret key too. It is not in this file: ${config.secretKeyFile}\n`,
    )
    return 0
  },
}

function readFile(args: readonly string[]): string {
  const [file] = readArguments(args, { mostWords: 1 }).words
  if (file === undefined) throw new ConfigError('FILE is missing: the name of the new backup')
  return file
}
