import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config/parsers.ts'
import type { Config } from '../config/read-config.ts'
import {
  BackupError,
  readBackup,
  ReplaceError,
  type BackupHeader,
} from '../storage/backup/format.ts'
import type { ReplaceOptions } from '../storage/backup/restore-postgres.ts'
import { prepareDataDirectory } from '../storage/data-directory.ts'
import { isKnownMigration } from '../storage/migrations/migrate.ts'
import { secretKeyExists } from '../vault/key-file.ts'
import { loadSecretKey } from '../vault/secret-key.ts'
import type { AdminCommand } from './command.ts'
import { requireOwner } from './open-stopped-storage.ts'
import { createProgress } from './progress.ts'
import { readArguments } from './read-arguments.ts'

export const restore: AdminCommand = {
  name: 'restore',
  summary: 'Restore all data from a backup. The server must be stopped.',
  usage: 'FILE [--replace [--drop-unknown-tables]] [--check]',
  examples: [
    'restore /backup/muster-1.backup             into a new or empty database',
    'restore /backup/muster-1.backup --replace   instead of the data that is there',
    'restore /backup/muster-1.backup --check     only verify the file',
  ],
  async run(args, config, { stdout, stderr }) {
    const { words, flags } = readArguments(args, {
      mostWords: 1,
      options: { replace: 'flag', 'drop-unknown-tables': 'flag', check: 'flag' },
    })
    const [file] = words
    if (file === undefined) throw new ConfigError('FILE is missing: the backup to restore')
    try {
      const header = await verify(file)
      stdout.write(`${file}: ${describe(header)}. The file is complete.\n`)
      if (flags.has('check')) return 0
      if (config.databaseUrl === undefined) requireUser(config.dataDir)
      requireKey(header, config.secretKeyFile)
      stderr.write('Restoring.\n')
      const options = {
        isReplacing: flags.has('replace'),
        isDroppingUnknown: flags.has('drop-unknown-tables'),
      }
      const replaced = await restoreFile(file, config, options, createProgress(stderr))
      stdout.write(summary)
      if (replaced !== undefined) {
        stdout.write(`The data from before is in ${replaced}. Delete it when you do not need it.\n`)
      }
      return 0
    } catch (error) {
      throw error instanceof BackupError ? new ConfigError(`${file}: ${error.message}`) : error
    }
  },
}

const summary = `Restored. Start the server with "muster serve".
All tokens and sessions have ended: users log in again, and scripts request new tokens.
What changed after the backup is undone. Users, role assignments and access keys that were deleted since
exist again: review them, and delete them again where needed.
`

const describe = ({ created_at, version, rows }: BackupHeader) =>
  `backup of ${created_at} by Muster ${version}, ${rows.toLocaleString('en')} rows`

/** Reads the whole file before anything is changed. */
async function verify(file: string): Promise<BackupHeader> {
  let header: BackupHeader | undefined
  await readBackup(
    file,
    async (found) => {
      if (!isKnownMigration(found.schema)) {
        throw new BackupError(`it is of a newer version: restore it with Muster ${found.version}`)
      }
      header = found
    },
    async () => {},
  )
  if (!header) throw new BackupError('it is empty')
  return header
}

/** Root can create files in the directory of another user, who could not open them. */
function requireUser(dataDir: string): void {
  const exists = requireOwner(join(dataDir, 'muster.db'))
  if (!exists && process.getuid?.() === 0) requireOwner(dataDir)
}

/** Without its key, the restored data would be useless and the server would not start. */
function requireKey({ key_fingerprint }: BackupHeader, file: string): void {
  if (!secretKeyExists(file)) {
    throw new ConfigError(
      `--secret-key-file: ${file} does not exist. Copy the secret key that belongs to this backup there`,
    )
  }
  if (!loadSecretKey(file).hasFingerprints(key_fingerprint)) {
    throw new ConfigError(
      `--secret-key-file: ${file} is not the secret key that belongs to this backup`,
    )
  }
}

type OnProgress = ReturnType<typeof createProgress>

/** Returns the file that has the data from before, if there is one. */
async function restoreFile(
  file: string,
  { databaseUrl, dataDir }: Config,
  options: ReplaceOptions,
  onProgress: OnProgress,
): Promise<string | undefined> {
  if (databaseUrl !== undefined) {
    const { restorePostgres } = await import('../storage/backup/restore-postgres.ts')
    await restorePostgres(databaseUrl, file, options, onProgress)
    return undefined
  }
  prepareDataDirectory(dataDir)
  if (!options.isReplacing && existsSync(join(dataDir, 'muster.db'))) throw new ReplaceError()
  const { restoreSqlite } = await import('../storage/backup/restore-sqlite.ts')
  return await restoreSqlite(dataDir, file, onProgress)
}
