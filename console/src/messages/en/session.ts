export const session = {
  title: 'Log in',
  lead: 'Every server you run, in every cloud and on every hypervisor.',
  user: 'User',
  password: 'Password',
  domain: 'Domain',
  domainHint: 'Only where yours is not Default',
  logIn: 'Log in',
  withProvider: (name: string) => `Log in with ${name}`,
  failed:
    'That user and password do not fit. Check both; after several failures Muster takes its time before it looks again.',
  ended: 'Your session has ended. Log in again, and you are back where you were.',
  loggedOut: 'You are logged out.',
  casFailed: 'The login at your provider did not succeed. Try again, or log in with a password.',
  demoTitle: 'Try the demo',
  demoLead: 'A simulated fleet that lives and changes. Choose whose eyes to see it with.',
  demoAs: (name: string) => `Log in as ${name}`,
  actions: {
    list: 'list',
    get: 'see',
    create: 'create',
    update: 'change',
    delete: 'delete',
    perform: 'act on',
  },
  notAllowed: (deed: string, resource: string, roles: string) =>
    roles === ''
      ? `You have no role here, so you may not ${deed} ${resource}`
      : `Your roles here (${roles}) do not allow you to ${deed} ${resource}`,
  changedElsewhere: 'Your session has changed in another tab',
  changedElsewhereText:
    'It is in another project now, or somebody else is logged in. Nothing was changed. Load the page again, and see where you are.',
}
