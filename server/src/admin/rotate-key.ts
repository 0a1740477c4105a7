import { setTimeout as pause } from 'node:timers/promises'
import { ConfigError } from '../config/parsers.ts'
import { newKeyLine, readKeyFile, writeKeyFile } from '../vault/key-file.ts'
import { createAdminEvent } from './admin-event.ts'
import { createInsertEvent } from '../storage/event-store.ts'
import type { AdminContext } from './command.ts'
import { databaseCommand } from './database-command.ts'
import { announceKey, finishRotation, type Wait } from './finish-rotation.ts'
import { readArguments } from './read-arguments.ts'

type Step = 'begin' | 'activate' | 'finish'

/** Shorter in tests. */
export const createRotateKey = (wait: Wait) =>
  databaseCommand({
    name: 'rotate-key',
    summary: 'Replace the secret key. The old key still decrypts until the rotation is finished.',
    usage: '[--activate | --finish]',
    examples: [
      'rotate-key   begin: with SQLite, the new key encrypts from now on',
      'rotate-key --activate   with PostgreSQL, once every node has the new key file',
      'rotate-key --finish   encrypt everything with the new key and remove the old one',
    ],

    parse(args): Step {
      const { flags } = readArguments(args, { options: { activate: 'flag', finish: 'flag' } })
      if (flags.size > 1) throw new ConfigError('use either --activate or --finish')
      if (flags.has('activate')) return 'activate'
      return flags.has('finish') ? 'finish' : 'begin'
    },

    isInput: (input): input is Step => typeof input === 'string' && Object.hasOwn(steps, input),

    async execute(step, context) {
      await steps[step](context, wait)
      await recordStep(step, context)
      return 0
    },
  })

export const rotateKey = createRotateKey((milliseconds) => pause(milliseconds))

const steps: Readonly<Record<Step, (context: AdminContext, wait: Wait) => Promise<void>>> = {
  begin: async ({ config: { secretKeyFile: file }, database, print }) => {
    const lines = readKeyFile(file)
    if (lines.length > 1) {
      const option = lines.some(({ isNext }) => isNext) ? '--activate' : '--finish'
      throw new ConfigError(`a rotation has begun already: continue it with ${option}`)
    }
    if (database.engine === 'sqlite') {
      writeKeyFile(file, [newKeyLine(), ...lines])
      await announceKey(database, file)
      print(`The new key in ${file} encrypts from now on. The old key still decrypts.`)
      print('Back up the key file, then run: muster admin rotate-key --finish')
      return
    }
    writeKeyFile(file, [...lines, newKeyLine(true)])
    print(`${file} has a new key, which is not used yet.`)
    print('Copy the file to every node, then run: muster admin rotate-key --activate')
  },

  activate: async ({ config: { secretKeyFile: file }, database, print }) => {
    const lines = readKeyFile(file)
    const next = lines.find(({ isNext }) => isNext)
    if (next) {
      writeKeyFile(file, [{ ...next, isNext: false }, ...lines.filter((line) => line !== next)])
    }
    // An earlier attempt may have changed only the file.
    const isAnnounced = await announceKey(database, file)
    if (!next && !isAnnounced) {
      throw new ConfigError(`${file} has no new key that could be activated`)
    }
    print('The new key encrypts on this node from now on. The old key still decrypts.')
    print('Copy the file to every node, then run: muster admin rotate-key --finish')
  },

  finish: finishRotation,
}

async function recordStep(step: Step, { database, clock }: AdminContext): Promise<void> {
  const event = createAdminEvent(clock, {
    action: 'update',
    targetType: 'secret_key',
    targetId: '',
    targetName: '',
    scope: { kind: 'system' },
    changes: { rotation: [null, step] },
  })
  await database.commit([createInsertEvent(database.db)(event)])
}
