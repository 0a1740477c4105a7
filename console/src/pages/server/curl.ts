import type { SessionDto } from '@muster/contract'

const inShell = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

const password = '{password}'

/**
 * The commands that store a token in `$TOKEN`. They prompt for the password: as an argument it would
 * end up in the shell history and the process list.
 */
export function tokenCommand(origin: string, { user, scope }: SessionDto): string {
  const auth = {
    identity: { methods: ['password'], password: { user: { id: user.id, password } } },
    ...(scope.kind !== 'none' && { scope: { [scope.kind]: { id: scope.id } } }),
  }
  const body = JSON.stringify({ auth })
    .replaceAll(/[\\$`]/g, String.raw`\$&`)
    .replace(password, '$PASSWORD')
  return [
    // In braces, so that the shell reads all pasted lines before it prompts for the password.
    "{ printf 'Password: '; read -rs PASSWORD; echo",
    String.raw`TOKEN=$(curl -fsS -o /dev/null -w '%header{x-subject-token}' \
  -H 'Content-Type: application/json' -d @- \
  ${inShell(`${origin}/v3/auth/tokens`)} <<END`,
    body,
    'END',
    '); }',
  ].join('\n')
}

/** The command that shows a server, now or as it was at a moment. */
export function serverCommand(origin: string, id: string, asOf?: string): string {
  const query = asOf === undefined ? '' : `?as_of=${encodeURIComponent(asOf)}`
  return String.raw`curl -sS -H "X-Auth-Token: $TOKEN" \
  ${inShell(`${origin}/servers/${encodeURIComponent(id)}${query}`)}`
}
