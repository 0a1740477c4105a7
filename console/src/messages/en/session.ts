export const session = {
  title: 'Log in',
  lead: 'All your virtual machines, across clouds and hypervisors.',
  user: 'User name',
  password: 'Password',
  domain: 'Domain',
  domainHint: 'Leave empty for Default',
  logIn: 'Log in',
  withProvider: (name: string) => `Log in with ${name}`,
  failed: 'Wrong user name or password. After several failed attempts, logins are slowed down.',
  ended: 'Your session has ended. Log in again to continue where you left off.',
  loggedOut: 'You are logged out.',
  casFailed: 'The login at your identity provider failed. Try again, or log in with a password.',
  demoTitle: 'Try the demo',
  demoLead: 'Explore simulated servers that change over time. Choose a user.',
  demoAs: (name: string) => `Log in as ${name}`,
  actions: {
    list: 'list',
    get: 'view',
    create: 'create',
    update: 'update',
    delete: 'delete',
    perform: 'perform actions on',
  },
  notAllowed: (deed: string, resource: string, roles: string) =>
    roles === ''
      ? `You have no role here, so you cannot ${deed} ${resource}`
      : `Your roles here (${roles}) do not allow you to ${deed} ${resource}`,
  changedElsewhere: 'Your session has changed in another tab',
  changedElsewhereText:
    'The project was switched, or another user logged in. Nothing was changed. Reload the page.',
}
