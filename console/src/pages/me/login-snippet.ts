/** The secret of a key, in the one answer that has it. */
export function secretOf(blob: string): string {
  const { secret } = JSON.parse(blob) as { readonly secret: string }
  return secret
}

interface Key {
  readonly id: string
  readonly secret: string
}

/** A command that logs in with a key, as it can be pasted into a shell. */
export function loginSnippet(identityUrl: string, { id, secret }: Key): string {
  const body = {
    auth: { identity: { methods: ['aksk'], access_key_secret: `${id}:${secret}` } },
  }
  return [
    `curl -si ${identityUrl}/auth/tokens \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')
}
