import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { adminCommands } from '../admin/commands.ts'
import { createRotateKey } from '../admin/rotate-key.ts'
import { runAdmin } from '../admin/run-admin.ts'
import { collectOutput } from './collect-output.ts'
import type { TestPlatform } from './start-platform.ts'

/** Where a test platform has its data. */
export type Installation = Pick<TestPlatform, 'folder' | 'databaseUrl'>

/** The settings that name the data of an installation. */
export const settingsOf = ({ folder, databaseUrl }: Installation): string[] => [
  `--data-dir=${join(folder, 'data')}`,
  `--secret-key-file=${join(folder, 'secret.key')}`,
  ...(databaseUrl === undefined ? [] : [`--database-url=${databaseUrl}`]),
]

/** By then every process has polled the database. */
const longestPoll = 1_000
const quickRotateKey = createRotateKey((wanted) => pause(Math.min(wanted, longestPoll)))
const commands = [quickRotateKey, ...adminCommands]

/** Runs `muster admin` in this process, on an installation that runs or is stopped. */
export async function runAdminCommand(installation: Installation, ...args: string[]) {
  const output = collectOutput()
  const status = await runAdmin([...args, ...settingsOf(installation)], {}, output.io, commands)
  return { status, stdout: output.stdout(), stderr: output.stderr() }
}
