/** Default page after a login, and the page after a failed login. */
export const consoleHome = '/console/'
export const failedLogin = '/console/login?why=cas'

const allowed = /^\/console\/[\w\-./~%=&?,:+!*'()@]*$/

/** Returns the requested page if it is in the console, otherwise the home page. Prevents open redirects. */
export function nextPage(requested: string | undefined): string {
  if (requested === undefined || !allowed.test(requested) || /\/\/|\.\./.test(requested))
    return consoleHome
  const { pathname, search, origin } = new URL(requested, 'http://here')
  const isHere = origin === 'http://here' && pathname.startsWith(consoleHome)
  return isHere ? pathname + search : consoleHome
}
