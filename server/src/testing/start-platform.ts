import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DestinationStream } from 'pino'
import { readConfig } from '../config/read-config.ts'
import type { Clock } from '../domain/clock.ts'
import { createLogger } from '../log.ts'
import { createPlatform, type Platform, type PlatformOptions } from '../platform.ts'
import { testPasswordCost } from './password-cost.ts'
import { copyMigratedFile, createTestDatabase, type Engine } from './engines.ts'

export const adminPassword = 'correct horse battery staple'

export interface TestPlatform extends Platform {
  readonly url: string
  readonly folder: string
  readonly databaseUrl: string | undefined
}

interface Options {
  readonly engine?: Engine
  readonly clock?: Clock
  readonly passwordCost?: PlatformOptions['passwordCost']
  readonly taskLimits?: PlatformOptions['taskLimits']
  /** Flags, as an operator would give them. */
  readonly flags?: readonly string[]
  readonly log?: { level: string; destination: DestinationStream }
  /** Return before the demo's servers are loaded. */
  readonly isLoadingDemo?: boolean
  /** Share the storage of another platform, running or closed. */
  readonly beside?: Pick<TestPlatform, 'folder' | 'databaseUrl'>
}

const nowhere: DestinationStream = { write: () => {} }

/** The longest timer. Tests evaluate checks themselves. */
const never = 2 ** 31 - 1

/** Tests keep the machine so busy that a request may wait for a connection for seconds. */
const longWait = '--database-wait=20000'

/** A complete Muster on a free port, with its own storage, which is removed on close. */
export async function startPlatform(options: Options = {}): Promise<TestPlatform> {
  const { engine = 'sqlite', clock, flags = [], log, beside, isLoadingDemo = false } = options
  const { passwordCost = testPasswordCost } = options
  const folder = beside?.folder ?? mkdtempSync(join(tmpdir(), 'muster-test-'))
  const databaseUrl =
    beside?.databaseUrl ??
    (engine === 'postgres' ? await createTestDatabase('migrated') : undefined)
  if (!beside && databaseUrl === undefined) copyMigratedFile(join(folder, 'data'))
  const request = readConfig(
    [
      '--port=0',
      `--data-dir=${join(folder, 'data')}`,
      `--secret-key-file=${join(folder, 'secret.key')}`,
      ...(databaseUrl === undefined ? [] : [`--database-url=${databaseUrl}`, longWait]),
      ...flags,
    ],
    { MUSTER_ADMIN_PASSWORD: adminPassword },
  )
  if (request.kind !== 'run') throw new Error('the flags do not ask for a running platform')
  const logger = createLogger(log?.level ?? 'silent', log?.destination ?? nowhere)
  const platform = await createPlatform(request.config, {
    logger,
    passwordCost,
    checkInterval: never,
    ...(clock && { clock }),
    ...(options.taskLimits && { taskLimits: options.taskLimits }),
  })
  const url = await platform.listen()
  if (!isLoadingDemo) await platform.demo?.loaded
  return {
    ...platform,
    url,
    folder,
    databaseUrl,
    async close(timeout?: number): Promise<void> {
      await platform.close(timeout)
      if (!beside) rmSync(folder, { recursive: true, force: true })
    },
  }
}
