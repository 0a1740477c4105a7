/** Default page after a login. */
export const consoleHome = '/console/'
/** The pages after a login that failed, and after one whose provider does not respond. */
export const failedLogin = '/console/login?why=provider'
export const unreachableProvider = '/console/login?why=unreachable'

/** The page after a login was linked, and after one that was not. */
export const linkedLogin = '/console/me/logins?linked=yes'
export const failedLink = '/console/me/logins?linked=no'

const allowed = /^\/console\/[\w\-./~%=&?,:+!*'()@]*$/

/** Returns the requested page if it is in the console, otherwise the home page. Prevents open redirects. */
export function nextPage(requested: string | undefined): string {
  if (requested === undefined || !allowed.test(requested) || /\/\/|\.\./.test(requested))
    return consoleHome
  const { pathname, search, origin } = new URL(requested, 'http://here')
  const isHere = origin === 'http://here' && pathname.startsWith(consoleHome)
  return isHere ? pathname + search : consoleHome
}
