import type { Token } from '@muster/contract'
import type { Command, Run } from '../grammar/command.ts'

const nameOf = (named: { readonly Name: string; readonly Domain: { readonly name: string } }) =>
  `${named.Name} (domain ${named.Domain.name})`

async function runStatus(run: Run): Promise<number> {
  const { client, settings } = await run.connect()
  const { body } = await client.request('validateToken', {
    headers: { 'x-subject-token': await ownToken(run) },
  })
  const { token } = body as { readonly token: Token }
  await run.output.printItem({
    address: settings.authUrl,
    user: nameOf(token.user),
    project: token.project ? nameOf(token.project) : '',
    roles: token.roles.map((role) => role.name),
    methods: token.methods,
    expires_at: token.expires_at,
    settings: settings.origin,
  })
  return 0
}

/** The token of the next request. It is cached, unless the login cannot be cached. */
export async function ownToken(run: Run): Promise<string> {
  const { client } = await run.connect()
  return (await client.currentToken()) ?? ''
}

export const authStatus: Command = {
  words: ['auth', 'status'],
  summary: 'Print who you are, and where the settings come from.',
  usage: '',
  examples: ['auth status', 'whoami -f value -c user'],
  flags: [],
  run: runStatus,
}
