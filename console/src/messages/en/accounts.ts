import { plural } from './plural.ts'

/** Numbers, times and durations as they are shown. */
interface SyncsSummary {
  readonly count: string
  readonly since: string
  /** Those that did not complete, if any. */
  readonly failed: string | undefined
  readonly longest: string
}

/** "every hour", "every 30 seconds". */
const everySpan = (span: string) => `every ${span.replace(/^1 /, '')}`

interface ProviderTexts {
  readonly title: string
  readonly description: string
  readonly address: string
  /** Descriptions of credentials and options, by their names. */
  readonly fields: Readonly<Record<string, string>>
  /** Titles of the permissions to copy, in order. */
  readonly rights: readonly string[]
  /** Titles of the permissions for actions, in order. */
  readonly actionRights?: readonly string[]
}

export const accounts = {
  title: 'Accounts',
  attach: 'Attach account',
  count: (count: number, shown: string) => (count === 1 ? '1 account' : `${shown} accounts`),
  find: 'Search accounts',
  findHint: 'Name, provider or address',
  anyStatus: 'Any status',
  noMatch: 'No matching accounts',
  noMatchText: 'No account matches this text and status.',
  clear: 'Show all accounts',
  pages: 'Pages',
  page: (page: string, pages: string) => `Page ${page} of ${pages}`,
  previous: 'Previous',
  next: 'Next',

  provider: 'Provider',
  status: 'Status',
  servers: 'Servers',
  synced: 'Last sync',
  nextSync: 'Next sync',
  actionsOf: (name: string) => `Actions for ${name}`,
  serversOf: (name: string, shown: string) => `${shown}, show the servers of ${name}`,
  statuses: {
    init: 'Not synced yet',
    connected: 'Connected',
    degraded: 'Partly connected',
    disconnected: 'Sync failed',
    lost: 'Unreachable',
    disabled: 'Disabled',
  },
  statusHints: {
    init: 'The first sync has not finished yet.',
    connected: 'The last sync finished successfully.',
    degraded: 'A region or a service fails. The rest is up to date.',
    disconnected: 'The last sync failed. Muster retries automatically.',
    lost: 'No response for three sync intervals. Its servers have the status Unknown until it responds again.',
    disabled: 'Syncing is off. Its servers keep their last known state.',
  },
  never: 'never',
  ago: (ago: string) => `synced ${ago}`,
  stale: 'older than three sync intervals',
  queued: 'Sync queued',
  running: 'Sync running',
  dueNow: 'now',
  soFar: (seen: string, created: string, changed: string, gone: string) =>
    `${seen} read, ${created} new, ${changed} changed, ${gone} removed so far`,
  soFarShort: (seen: string, created: string, changed: string, gone: string) =>
    `${seen} read · +${created} ~${changed} −${gone}`,
  progress: (name: string) => `Sync progress of ${name}`,

  syncNow: 'Sync now',
  syncStarted: (name: string) => `Sync of ${name} requested`,
  syncDisabled: 'The account is disabled. Enable it first.',
  syncUnderWay: 'A sync is already running',
  enable: 'Enable',
  disable: 'Disable',
  nowEnabled: (name: string) => `${name} is enabled. A sync is starting.`,
  nowDisabled: (name: string) => `${name} is disabled. Its servers keep their last known state.`,
  open: 'Open',
  editRules: 'Mapping rules',
  delete: 'Delete',

  deleteTitle: (name: string) => `Delete ${name}`,
  deleteText:
    'Muster deletes the account and its credentials and stops contacting the source. Nothing changes at the source.',
  evictText: (count: number, shown: string) =>
    count === 1
      ? 'The account has 1 server. Muster deletes its record of it, unless another account reports it too. The server itself keeps running.'
      : `The account has ${shown} servers. Muster deletes its records of them, except those that another account reports too. The servers themselves keep running.`,
  evictKeep: 'To keep them in the inventory, disable the account instead.',
  evictType: (name: string) => `Type ${name} to confirm`,
  evictMistyped: 'Type the account name first',
  deletePlain: 'Delete account',
  deleteEvict: (count: number, shown: string) =>
    count === 1 ? 'Delete account and 1 server' : `Delete account and ${shown} servers`,
  deleted: (name: string) => `${name} deleted`,

  emptyTitle: 'No accounts yet',
  emptyText:
    'Servers come from accounts: a cloud account, or a host with libvirt. Attach one, and its servers appear within seconds and stay up to date.',
  emptyDemo: 'Just trying it out? Start Muster with simulated servers:',
  demoCommand: 'muster serve --demo',

  forbiddenTitle: 'Accounts need a system role',
  forbiddenText:
    'An account decides which endpoints Muster contacts and which project owns the servers. This takes a role in the system; a role in a project or domain is not enough. Each of your servers still shows its account and the age of its data.',
  forbiddenRight: 'Required permission',
  toServers: 'Go to your servers',

  newTitle: 'Attach account',
  newLead: 'Choose a provider. Nothing is stored until you save.',
  another: 'Choose another provider',
  noProvider: (name: string) => `Unknown provider ${name}. Choose one of these.`,
  hasEvents: 'Changes within seconds',
  polled: (span: string) => `Polled ${everySpan(span)}`,
  accountSection: 'Account',
  connectionSection: 'Connection',
  rightsSection: 'Permissions',
  rightsLeads: {
    observe:
      'The least that Muster needs to read. Copy the text and use it where you create the credentials.',
    manage:
      'The least that Muster needs to read and to act. Copy the texts and use them where you create the credentials.',
  },
  copyRights: (title: string) => `Copy: ${title}`,
  accessSection: 'Access',
  accesses: { observe: 'Read only', manage: 'Read and act' },
  accessHints: {
    observe: 'Muster only reads. Nobody can start, stop, change or delete servers through it.',
    manage:
      'People with the permission can start, stop, change and delete the servers of this account. Setting it back to read only cancels queued tasks.',
  },
  requestTimeout: 'Time limit of a request, in seconds',
  requestTimeoutHint: 'How long the source may take to respond. From 1 to 300. Default: 20',
  requestTimeoutWrong: 'Must be a whole number from 1 to 300',
  maxActions: 'Actions at once',
  maxActionsHint: 'From 1 to 100. Default: 10',
  maxActionsWrong: 'Must be a whole number from 1 to 100',
  testedActions: 'Allowed actions',
  testedNotAllowed: 'Not allowed',
  credentialsSection: 'Credentials',
  optionsSection: 'Options',
  nameHint: 'For example aws-prod or kvm-rack-2',
  project: 'Default project',
  projectHint: 'Owns every server that no mapping rule assigns to another project',
  period: 'Sync interval',
  periodHint: (seconds: string) => `Seconds between full syncs, 5 to 86400. Default: ${seconds}`,
  address: 'Address',
  example: 'For example',
  storedEncrypted: 'Stored encrypted. Never shown again, and never stored in this browser.',
  unchanged: 'unchanged',
  storedCredentialsHint:
    'Leave empty to keep them. They are replaced together: if you enter one, enter all required ones. A new address requires them again.',
  deleteCredentials: 'Delete the stored credentials',
  show: 'Show',
  hide: 'Hide',
  showSecret: (label: string) => `Show ${label}`,
  hideSecret: (label: string) => `Hide ${label}`,
  onePerLine: 'One per line.',
  asProvider: 'Provider default',
  /** The API's own texts are English. */
  providerTexts: {} as Readonly<Record<string, ProviderTexts>>,
  fieldNames: { username: 'User name' } as Readonly<Record<string, string>>,
  required: 'Required',
  integer: 'Must be a whole number',
  periodWrong: 'Must be a whole number from 5 to 86400',
  fieldProblem: (label: string, problem: string) => `${label} ${problem}`,

  testSection: 'Test',
  testLead: 'Logs in and counts the servers. Nothing is stored or changed.',
  test: 'Test',
  testing: 'Contacting the source, up to 15 seconds',
  testSecret:
    'Enter the credentials to test your changes. Stored credentials are never sent to a new address.',
  testWorks: 'Test passed',
  testFails: 'Test failed',
  syncFailedBecause: (reason: string) => `The last sync failed: ${reason}`,
  testFailedBecause: (reason: string) => `Test failed: ${reason}`,
  testOutdated: 'The settings have changed since this test.',
  testStopped: 'Stopped after 15 seconds. There are more.',
  testTook: (duration: string) => `Took ${duration}`,
  testedSource: 'Source',
  statusesSeen: 'Servers by status',
  moreStatuses: (rest: string) => `${rest} more`,
  sample: 'Examples',
  nothingSeen:
    'The source responds but returns no servers. Check the permissions of the credentials.',

  saveNew: 'Attach account',
  saveChanges: 'Save changes',
  nothingChanged: 'Nothing has changed yet',
  attached: (name: string) => `${name} attached. The first sync is starting.`,
  saved: (name: string) => `${name} saved`,
  untestedTitle: 'Save without a test?',
  untestedText:
    'These settings have not been tested. If they are wrong, the syncs of the account fail until you correct them.',
  failedTitle: 'Save with a failed test?',
  testFirst: 'Test first',
  saveAnyway: 'Save anyway',
  attachAnyway: 'Attach anyway',
  leaveTitle: 'Leave without saving?',
  leaveText: 'Your changes will be lost.',
  stay: 'Stay',
  leave: 'Leave',

  tabs: 'Account sections',
  overview: 'Overview',
  settings: 'Settings',
  rules: 'Mapping rules',
  sync: 'Sync',
  facts: 'Details',
  lastSync: 'Last full sync',
  duration: 'Duration',
  seen: 'Read',
  created: 'New',
  changed: 'Changed',
  gone: 'Removed',
  since: 'Running since',
  lastError: 'Last error',
  failing: (time: string) => `Failing ${time}.`,
  failingFor: (span: string) => `for ${span}`,
  remedies: {
    address: 'Check the address and the network',
    credentials: 'Check the credentials and their permissions',
    '': 'See the last syncs',
  },
  syncs: 'Last syncs',
  noSyncs: 'No sync has ended yet.',
  started: 'Started',
  result: 'Result',
  results: { complete: 'Complete', failed: 'Failed', postponed: 'Postponed' },
  syncsSummary: ({ count, since, failed, longest }: SyncsSummary) =>
    `${count} since ${since}. ${failed === undefined ? 'All complete.' : `${failed} did not complete.`} The longest took ${longest}.`,
  allSyncs: (shown: string) => `Show all ${shown}`,
  fewerSyncs: 'Show fewer',
  warnings: 'Warnings',
  warningKinds: {
    unreadable: (count: number, shown: string) =>
      count === 1 ? '1 server could not be read' : `${shown} servers could not be read`,
    cut: (count: number, shown: string) =>
      count === 1 ? 'Details of 1 server are cut' : `Details of ${shown} servers are cut`,
    missing: (count: number, shown: string) =>
      count === 1 ? '1 server is suddenly missing' : `${shown} servers are suddenly missing`,
    duplicate: (count: number, shown: string) =>
      count === 1 ? '1 server runs on two hosts' : `${shown} servers run on two hosts`,
    forbidden: (count: number, shown: string) =>
      count === 1 ? 'Permission missing for 1 server' : `Permission missing for ${shown} servers`,
    recycled: (count: number, shown: string) =>
      count === 1
        ? '1 server stays in the recycle bin'
        : `${shown} servers stay in the recycle bin`,
    region: (count: number, shown: string) =>
      count === 0
        ? 'A service fails'
        : count === 1
          ? 'A region fails with 1 server'
          : `A region fails with ${shown} servers`,
    shared: (count: number, shown: string) =>
      count === 1
        ? '1 server has another account, too'
        : `${shown} servers have another account, too`,
    incomplete: (count: number, shown: string) =>
      count === 1 ? 'The list lacks 1 server' : `The list lacks ${shown} servers`,
  },
  missingUntil: (time: string) => `Status Unknown. Removed at ${time} unless found again.`,
  missingUntilUnknown: 'Status Unknown. Not removed until a full sync succeeds again.',
  removalAt: (time: string) => `· removed at ${time}`,
  confirmGone: 'Remove missing servers now',
  confirmGoneText: (count: number, shown: string, name: string) =>
    count === 1
      ? `1 server of ${name} is missing at the source. Remove it from Muster now? If it reappears at the source, it returns with its tags and history.`
      : `${shown} servers of ${name} are missing at the source. Remove them from Muster now? If they reappear at the source, they return with their tags and history.`,
  removeServers: (count: number, shown: string) =>
    count === 1 ? 'Remove 1 server' : `Remove ${shown} servers`,
  goneConfirmed: (name: string) => `Removing the missing servers of ${name}`,
  claim: 'Claim servers',
  claimTitle: (name: string) => `Claim servers for ${name}`,
  claimText:
    'Another account holds these servers. Muster will show them under this account, and act on them through it. Nothing changes at the source.',
  claimSearch: 'Only servers that match',
  claimServers: (count: number, shown: string) =>
    count === 1 ? 'Claim 1 server' : `Claim ${shown} servers`,
  claimed: (name: string) => `The servers now belong to ${name}`,
  every: everySpan,
  brand: 'Brand',
  danger: 'Danger zone',
  dangerText:
    'Deleting removes its servers from Muster. Disabling keeps them in their last known state.',

  rulesLead:
    'Rules assign the servers of this account to projects. The first matching rule applies.',
  rulesElse: (project: string) => `If no rule matches: ${project}`,
  rulesList: 'Rules, in order',
  noRules: 'No rules. Every server belongs to the default project.',
  addRule: 'Add rule',
  rule: (number: string) => `Rule ${number}`,
  conditions: { tenant: 'Tenant', tag: 'Tag', account: 'Account', name: 'Server name' },
  conditionHints: {
    tenant: 'Tenant ID or name',
    tag: 'team=web, or just team',
    account: 'Name of this account',
    name: 'web-*',
  },
  globHint: 'All conditions must match. * matches any characters.',
  assignTo: 'Assign to project',
  and: 'and',
  to: 'to',
  newRule: 'New rule. Edit it to add conditions.',
  moveUp: (rule: string) => `Move ${rule} up`,
  moveDown: (rule: string) => `Move ${rule} down`,
  isFirst: 'Already first',
  isLast: 'Already last',
  editRule: (rule: string) => `Edit ${rule}`,
  removeRule: (rule: string) => `Remove ${rule}`,
  removed: (rule: string) => `${rule} removed`,
  doneRule: 'Done',
  moved: (from: string, to: string, of: string) => `Rule ${from} moved to position ${to} of ${of}`,
  moveHint: 'Press Alt and ↑ or ↓ to move a rule.',
  needsCondition: 'Enter at least one of tenant, tag, account or name',
  needsProject: 'Choose a project',
  preview: 'Preview',
  saveRules: 'Save rules',
  undoRules: 'Undo changes',
  rulesSaved: 'Rules saved',
  previewTitle: 'Effect of the rules',
  previewNone: (total: string) =>
    `None of ${plural(total, 'server', 'servers')} would change project.`,
  previewMoves: (moves: string, total: string) =>
    `${moves} of ${plural(total, 'server', 'servers')} would change project.`,
  previewOutdated: 'The rules have changed since this preview.',
  previewProjects: 'Servers per project with these rules',
  previewServers: 'Servers that would change project',
  previewSome: (shown: string, moves: string) => `Showing ${shown} of ${moves}.`,
  previewRead: 'Run the preview first',
  projectColumn: 'Project',
  server: 'Server',
  from: 'From',
  toProject: 'To',
  byRule: 'Rule',
  byDefault: 'default project',
}
