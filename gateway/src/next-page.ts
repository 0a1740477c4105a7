/** Where a login leads that says nothing of it, and where one that failed does. */
export const consoleHome = '/console/'
export const failedLogin = '/console/login?why=cas'

const plain = /^\/console\/[\w\-./~%=&?,:+!*'()@]*$/

/** A page of the console, as asked for; its first one where anything else is. */
export function nextPage(wish: string | undefined): string {
  if (wish === undefined || !plain.test(wish) || /\/\/|\.\./.test(wish)) return consoleHome
  const { pathname, search, origin } = new URL(wish, 'http://here')
  const isHere = origin === 'http://here' && pathname.startsWith(consoleHome)
  return isHere ? pathname + search : consoleHome
}
