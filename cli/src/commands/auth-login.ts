import { accessKeyLogin, isApiError, passwordLogin, tokenAuth } from '@muster/sdk'
import type { Auth, IssuedToken } from '@muster/sdk'
import { CommandError } from '../command-error.ts'
import { createApiClient } from '../connection/connect.ts'
import { ask, askSecret, canAsk, readSecretLine } from '../connection/prompt.ts'
import { currentProfile, listProfiles, readProfile, writeProfile } from '../connection/profiles.ts'
import { readAddress, type Settings } from '../connection/settings.ts'
import type { Command, Run } from '../grammar/command.ts'
import { UsageError } from '../usage-error.ts'

/** The profile to write, and the address to log in to. */
function readTarget({ args, environment }: Run) {
  const name = args.text('profile') ?? environment['MUSTER_PROFILE'] ?? currentProfile(environment)
  const known = listProfiles(environment).includes(name)
    ? readProfile(environment, name).content
    : undefined
  const given = args.text('os-auth-url') ?? args.positionals[0]
  const address = given ?? known?.authUrl ?? environment['OS_AUTH_URL']
  if (address === undefined) throw new UsageError('Which address? Add --url https://HOST.')
  const authUrl = readAddress(address, '--url')
  const api = environment['MUSTER_API_URL']
  const url = api === undefined ? authUrl : readAddress(api, 'MUSTER_API_URL')
  const isSame = known?.authUrl === authUrl
  return {
    name,
    authUrl,
    url,
    cacert: args.text('os-cacert') ?? (isSame ? known.cacert : undefined),
    isInsecure: args.isSet('insecure') || (isSame && known.isInsecure),
    user: isSame ? known.user : undefined,
  }
}

async function passwordOf(run: Run, user: string): Promise<string> {
  if (run.args.isSet('password-stdin')) return await readSecretLine(run.io)
  const { OS_PASSWORD: password, OS_USERNAME: owner } = run.environment
  // The password of another user is no password of this one.
  if (password !== undefined && password !== '' && owner === user) return password
  return await askSecret(run.io, `Password of ${user}: `)
}

function scopeOf({ args }: Run) {
  const project = args.text('os-project-name')
  const domain = args.text('os-domain-name')
  if (project !== undefined) {
    const name =
      args.text('os-project-domain-name') ?? args.text('os-user-domain-name') ?? 'Default'
    return { project: { name: project, domain: { name } } }
  }
  return domain === undefined ? undefined : { domain: { name: domain } }
}

async function chooseLogin(run: Run, known: string | undefined): Promise<Auth<IssuedToken>> {
  const { args, io, environment } = run
  const scope = scopeOf(run)
  const common = { source: 'cli' as const, ...(scope && { scope }) }
  if (args.isSet('token-stdin')) return tokenAuth(await readSecretLine(io), common)
  const accessKey = args.text('access-key')
  if (accessKey !== undefined) {
    const secret = args.isSet('secret-stdin')
      ? await readSecretLine(io)
      : await askSecret(io, `Secret of access key ${accessKey}: `)
    return accessKeyLogin({ accessKey, secret, source: 'cli' })
  }
  const named = args.text('os-username') ?? environment['OS_USERNAME']
  if (named === undefined && !canAsk(io)) {
    throw new UsageError('Which user? Add --os-username NAME.')
  }
  const typed = named ?? (await ask(io, known === undefined ? 'User: ' : `User [${known}]: `))
  const user = typed.trim() === '' ? (known ?? '') : typed.trim()
  const domain = args.text('os-user-domain-name') ?? environment['OS_USER_DOMAIN_NAME'] ?? 'Default'
  const password = await passwordOf(run, user)
  return passwordLogin({ user: { name: user, domain: { name: domain } }, password, ...common })
}

async function runLogin(run: Run): Promise<number> {
  const { environment, output } = run
  const target = readTarget(run)
  const auth = await chooseLogin(run, target.user)
  const settings: Settings = {
    ...target,
    origin: 'auth login',
    credential: undefined,
    scope: undefined,
  }
  const client = createApiClient(run, settings, auth)
  const { secret, token } = await client.logIn().catch((error: unknown) => {
    if (!isApiError(error) || error.status !== 401) throw error
    throw new CommandError('unauthenticated', `The login was refused: ${error.details}`)
  })
  const { name, authUrl, url, cacert, isInsecure } = target
  writeProfile(environment, name, {
    authUrl,
    url,
    ...(cacert !== undefined && { cacert }),
    isInsecure,
    user: token.user.Name,
    token: { secret, expiresAt: token.expires_at, authUrl, url },
  })
  const place = token.project ? `project ${token.project.Name}` : 'no project'
  output.note(
    `Logged in to ${authUrl} as ${token.user.Name}, ${place}, until ${token.expires_at}. Profile: ${name}.`,
  )
  return 0
}

export const authLogin: Command = {
  words: ['auth', 'login'],
  summary: 'Log in and store a token in a profile.',
  usage: '[URL]',
  examples: [
    'auth login --url https://muster.example.com',
    'auth login --profile night --os-username ada --os-project-name web',
    'auth login --os-username robot --password-stdin < password.txt',
    'auth login --access-key 6f1c… --secret-stdin < secret.txt',
  ],
  flags: [
    {
      name: 'password-stdin',
      kind: 'boolean',
      help: 'Read the password from stdin instead of asking for it.',
    },
    { name: 'access-key', kind: 'value', placeholder: 'ID', help: 'Log in with an access key.' },
    {
      name: 'secret-stdin',
      kind: 'boolean',
      help: 'Read the secret of the access key from stdin.',
    },
    { name: 'token-stdin', kind: 'boolean', help: 'Store a token that you have, read from stdin.' },
  ],
  details:
    'The profile has the token and its address, never a password. It is in profiles.json of the folder muster of your configuration, which only you can read.',
  run: runLogin,
}
