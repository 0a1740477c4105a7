/** The filter for the servers of an account, as the server list writes it. */
export function serversOf(account: string): string {
  const isPlain = /^[\w.-]+$/.test(account)
  return `account:${isPlain ? account : JSON.stringify(account)}`
}
