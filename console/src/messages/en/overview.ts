/** Messages for "so many of something", where the figure is written already. */
const servers = (count: number, shown: string) => (count === 1 ? '1 server' : `${shown} servers`)

export const overview = {
  title: 'Overview',
  figures: {
    label: 'The fleet in figures',
    servers: 'Servers',
    size: (vcpus: string, memory: string) => `${vcpus} vCPUs · ${memory} memory`,
    running: 'Running',
    ofAll: (share: string) => `${share} of all`,
    stale: 'Stale',
    staleHint: 'Status unknown: the account fell silent, or its word is not known',
    changed: 'Changed today',
    changedHint: 'Since midnight UTC',
    show: (name: string, shown: string) => `Show the servers: ${name}, ${shown}`,
    failed: 'not counted',
  },
  servers,
  share: (name: string, count: number, shown: string, share: string) =>
    `${name}: ${servers(count, shown)}, ${share}`,
  only: (first: string) => `All of them: ${first}.`,
  none: 'None',
  others: (count: string) => `${count} others`,
  allOthers: 'All others',
  otherStatuses: 'other',
  notUpdated: (time: string) => `As of ${time}. The last try to count anew failed.`,
  column: {
    servers: 'Servers',
    share: 'Share',
    vcpus: 'vCPUs',
    memory: 'Memory',
    disks: 'Disks',
    day: 'Day',
    how: 'Known how',
    all: 'All',
    status: 'Status',
    age: 'Last complete sync',
  },
  status: {
    title: 'By status',
    column: 'Status',
    words: (first: string, share: string) =>
      `What servers are doing: ${first} leads with ${share}.`,
  },
  region: {
    title: 'By region',
    column: 'Region',
    words: (first: string, share: string) => `Where servers are: ${first} leads with ${share}.`,
  },
  project: {
    title: 'By project',
    column: 'Project',
    words: (first: string, share: string) =>
      `Whose servers they are: ${first} leads with ${share}.`,
  },
  provider: {
    title: 'By provider and status',
    column: 'Provider',
    words: (first: string, share: string) =>
      `Where servers come from, and what they are doing: ${first} leads with ${share}.`,
  },
  growth: {
    title: 'The fleet over 90 days',
    days: 'Day by day. Arrow keys lead from one day to the next.',
    more: (count: string, day: string) => `${count} more servers than on ${day}.`,
    fewer: (count: string, day: string) => `${count} fewer servers than on ${day}.`,
    same: (day: string) => `As many servers as on ${day}.`,
    estimated:
      'Dashed: nobody counted on those days; before the first count it is how many of today’s servers were made by then.',
    cut: (from: string) => `The scale starts at ${from}.`,
    day: (day: string, count: number, shown: string) => `${day}: ${servers(count, shown)}`,
    estimatedDay: (day: string, count: number, shown: string) =>
      `${day}: ${servers(count, shown)}, estimated`,
    counted: 'counted',
    isEstimated: 'estimated',
  },
  accounts: {
    title: 'Accounts by age',
    stale: (stale: number, all: string) =>
      stale === 1
        ? `1 of ${all} accounts is not up to date.`
        : `${stale} of ${all} accounts are not up to date.`,
    fresh: (all: number, shown: string) =>
      all === 1 ? 'The one account is up to date.' : `All ${shown} accounts are up to date.`,
    empty: 'No account is attached yet.',
    name: 'Account',
    never: 'never',
    all: (count: string) => `All ${count} accounts`,
    open: (name: string) => `Open the account ${name}`,
    notAllowed: (reason: string) =>
      `Which accounts there are, and how old what they said is, is not shown to you. ${reason}`,
    states: {
      init: 'first sync ahead',
      connected: 'up to date',
      late: 'late',
      disconnected: 'last sync failed',
      lost: 'silent: servers unknown',
      disabled: 'disabled',
    },
  },
  empty: {
    title: 'No servers yet',
    text: 'Servers come from cloud accounts and hypervisors. Attach one, and its servers are here as soon as its first sync is through.',
    waiting: (count: number, shown: string) =>
      count === 1
        ? 'One account is attached: its servers are here as soon as its first sync is through.'
        : `${shown} accounts are attached: their servers are here as soon as their first sync is through.`,
    elsewhere:
      'You see the servers of the project or domain that you are in. Switch to another at the top, if yours are there.',
    attach: 'Attach account',
    accounts: 'Show accounts',
    demo: 'Only looking around? This starts a fleet to try things with:',
  },
  notAllowed: 'You may not see servers here',
}
