import type { NewCredentialDto } from '@muster/contract'

type Key = Pick<NewCredentialDto, 'access_key' | 'secret'>

/** Shell commands that keep an access key in the environment, log in with it and list a server of any project that it sees. */
export function firstCommands(url: string, { access_key, secret }: Key): string {
  const body = `{"auth":{"identity":{"methods":["aksk"],"access_key_secret":"'$MUSTER_ACCESS_KEY:$MUSTER_SECRET'"}}}`
  return [
    `export MUSTER_URL=${url}`,
    `export MUSTER_ACCESS_KEY=${access_key}`,
    `export MUSTER_SECRET=${secret}`,
    `token=$(curl -si $MUSTER_URL/v3/auth/tokens -H 'Content-Type: application/json' \\`,
    `  -d '${body}' |`,
    `  tr -d '\\r' | awk 'tolower($1) == "x-subject-token:" { print $2 }')`,
    `curl -s "$MUSTER_URL/servers?scope=max&limit=1" -H "X-Auth-Token: $token"`,
  ].join('\n')
}
