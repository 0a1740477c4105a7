import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ConfigError } from '../config/parsers.ts'
import { redacted } from '../domain/audit/field-diff.ts'
import { requireGoodPassword } from '../domain/identity/password-rules.ts'
import { isActive } from '../domain/identity/user-status.ts'
import { createDirectory } from '../storage/identity/directory.ts'
import { createResetPassword } from '../storage/identity/reset-password.ts'
import { createPasswordHasher } from '../vault/password-hasher.ts'
import { createAdminEvent } from './admin-event.ts'
import { databaseCommand } from './database-command.ts'
import { readArguments } from './read-arguments.ts'

interface Input {
  readonly user: string
  readonly domain: string
  /** Without one, a random password is set. */
  readonly password: string | undefined
}

export const resetPassword = databaseCommand({
  name: 'reset-password',
  summary: 'Set a new password for a user. Ends the tokens and sessions of the user.',
  usage: '[USER] [--domain NAME] [--password-file FILE]',
  examples: [
    'reset-password   a new password for sysadmin, which is printed once',
    'reset-password alice --domain Research --password-file new.txt',
  ],

  async parse(args): Promise<Input> {
    const options = { domain: 'value', 'password-file': 'value' } as const
    const { words, values } = readArguments(args, { options, mostWords: 1 })
    const file = values['password-file']
    return {
      user: words[0] ?? 'sysadmin',
      domain: values['domain'] ?? 'Default',
      password: file === undefined ? undefined : await readPassword(file),
    }
  },

  isInput(input): input is Input {
    const { user, domain, password = '' } = (input ?? {}) as Partial<Record<keyof Input, unknown>>
    return [user, domain, password].every((value) => typeof value === 'string')
  },

  async execute({ user: name, domain, password: given }, { database, clock, print }) {
    const reference = { name, domain: { name: domain } }
    const directory = createDirectory(database)
    const { credentials } = await directory.findCredentials(reference)
    if (!credentials) throw new ConfigError(`there is no user "${name}" in the domain "${domain}"`)
    const { user } = credentials
    const account = await database.db
      .selectFrom('users')
      .select('service_account')
      .where('id', '=', user.id)
      .executeTakeFirst()
    if (account?.service_account === 1) {
      throw new ConfigError(
        `"${name}" is a service account, which has access keys and no password. Its owner makes the keys.`,
      )
    }
    const password = given ?? randomBytes(18).toString('base64url')
    const hash = await createPasswordHasher().hash(password)
    const event = createAdminEvent(clock, {
      action: 'update',
      targetType: 'user',
      targetId: user.id,
      targetName: user.name,
      scope: { kind: 'domain', domainId: user.domainId },
      changes: { password: redacted },
    })
    const ended = await createResetPassword(database)(user.id, hash, event)
    print(`The password of ${user.name} in the domain ${domain} is changed.`)
    if (given === undefined) print(`New password (shown only once): ${password}`)
    print(
      `Ended: ${ended.tokens} tokens, ${ended.sessions} browser sessions. Access keys stay valid.`,
    )
    const { credentials: now } = await directory.findCredentials(reference)
    if (now?.isPasswordRefused) {
      print(
        `The user cannot log in with it: the domain ${domain} allows passwords for break-glass users only. Run: muster admin lift-rule ${JSON.stringify(domain)} local-passwords`,
      )
    }
    const status = await directory.loadUserStatus(user.id)
    if (!status || !isActive(status, clock())) {
      print('The user cannot log in: the user or the domain is disabled, or the user has expired.')
    }
    return 0
  },
})

/** Without the line end that editors add. */
async function readPassword(file: string): Promise<string> {
  let password: string
  try {
    password = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch {
    throw new ConfigError('--password-file must be the path of a readable file')
  }
  await requireGoodPassword(password).catch((error: unknown) => {
    throw new ConfigError(`--password-file is not acceptable. ${(error as Error).message}`)
  })
  return password
}
