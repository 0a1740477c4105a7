import type { AdministeredKind } from '@muster/contract/names'
export const session = {
  roleTexts: {
    project_viewer: { label: 'Viewer', hint: 'Sees the servers of the project.' },
    project_editor: {
      label: 'Editor',
      hint: 'Also starts, stops and changes servers. Cannot delete them.',
    },
    project_owner: { label: 'Owner', hint: 'Everything in the project, its people included.' },
    domain_viewer: { label: 'Domain viewer', hint: 'Sees everything in the domain.' },
    domain_admin: { label: 'Domain administrator', hint: 'Everything in the domain.' },
    auditor: { label: 'Auditor', hint: 'Sees everything in the entire system.' },
    admin: { label: 'Administrator', hint: 'Everything in the entire system.' },
  } as Readonly<Record<string, { readonly label: string; readonly hint: string }>>,
  title: 'Log in',
  lead: 'All your virtual machines, across clouds and hypervisors.',
  user: 'User name',
  password: 'Password',
  domain: 'Domain',
  domainHint: 'Leave empty for Default',
  logIn: 'Log in',
  withProvider: (name: string) => `Log in with ${name}`,
  failed: 'Wrong user name or password. After several failed attempts, logins are slowed down.',
  codeTitle: 'Second factor',
  code: 'Code',
  codeHint: 'The 6 digits that your authenticator app shows',
  recoveryCode: 'Recovery code',
  recoveryCodeHint: 'One of the codes that you stored. Each works once.',
  useRecoveryCode: 'Use a recovery code',
  useApp: 'Use the authenticator app',
  wrongCode:
    'The code is wrong or was used before. Wait for the next one. After several failed attempts, logins are slowed down.',
  codeFor: (name: string) => `The password of ${name} is right. Enter a code to log in.`,
  backToPassword: 'Back',
  codeTimedOut: 'You entered no code for 5 minutes. Log in again.',
  factor:
    'This needs a recent login with a second factor. Log in again to continue where you left off.',
  ended: 'Your session has ended. Log in again to continue where you left off.',
  loggedOut: 'You are logged out.',
  providerFailed:
    'The login at your identity provider failed. Try again, or log in with a password.',
  providerUnreachable:
    'The identity provider does not respond. Try again later, or log in with a password.',
  firstPassword: 'Set your password',
  setAndLogIn: 'Set password and log in',
  passwordIsSet: 'The password is set. Log in with it.',
  linkRefused: 'The link is invalid, has expired or was used before. Ask for a new one.',
  toLogin: 'Go to the login page',
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
    'perform.start': 'start',
    'perform.stop': 'stop',
    'perform.restart': 'restart',
    'perform.reset': 'reset',
    'perform.suspend': 'suspend',
    'perform.resume': 'resume',
    'perform.change-config': 'resize',
    'perform.syncstatus': 'sync',
  },
  /** By the names that permissions have on the wire. */
  resources: {
    cloudaccounts: 'accounts',
    credentials: 'access keys',
    domains: 'domains',
    events: 'events',
    groups: 'groups',
    identity_providers: 'identity providers',
    metrics: 'metrics',
    policies: 'policies',
    projects: 'projects',
    role_assignments: 'role assignments',
    roles: 'roles',
    servers: 'servers',
    tokens: 'tokens',
    users: 'users',
    views: 'saved views',
  } satisfies Record<AdministeredKind, string> & Record<string, string> as Readonly<
    Record<AdministeredKind, string> & Record<string, string>
  >,
  notAllowed: (action: string, resource: string, roles: string) =>
    roles === ''
      ? `You have no role here, so you cannot ${action} ${resource}`
      : `Your roles here (${roles}) do not allow you to ${action} ${resource}`,
  askForRole: (user: string, domain: string) =>
    `Ask an owner of the project or an administrator for a role that allows it. Your user is ${user} in the domain ${domain}.`,
  orSwitch: 'Or switch to another project or domain at the top of the page.',
  changedElsewhere: 'Your session has changed in another tab',
  changedElsewhereText:
    'The project was switched, or another user logged in. Nothing was changed. Reload the page.',
}
