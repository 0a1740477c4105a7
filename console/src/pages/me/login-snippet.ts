import type { NewCredentialDto } from '@muster/contract'

type Key = Pick<NewCredentialDto, 'access_key' | 'secret'>

/** A shell command that logs in with an access key. */
export function loginSnippet(identityUrl: string, { access_key, secret }: Key): string {
  const body = {
    auth: { identity: { methods: ['aksk'], access_key_secret: `${access_key}:${secret}` } },
  }
  return [
    `curl -si ${identityUrl}/auth/tokens \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')
}
