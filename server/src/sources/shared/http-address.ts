/** Why a text is not the web address of a source; undefined if it is. */
export function httpAddressProblem(address: string): string | undefined {
  if (!URL.canParse(address)) return 'must be a web address'
  const { protocol, username, password, search, hash } = new URL(address)
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https:// or http://'
  if (username !== '' || password !== '') {
    return 'must not contain a user or a password: set them as credentials'
  }
  if (search !== '' || hash !== '' || /[?#]$/.test(address)) {
    return 'must not have a query or a fragment'
  }
}

/** The host of a web address, without brackets around IPv6. */
export const hostOfAddress = (address: string): string =>
  new URL(address).hostname.replace(/^\[(.*)\]$/, '$1')
