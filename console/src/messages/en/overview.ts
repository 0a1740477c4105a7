const servers = (count: number, shown: string) => (count === 1 ? '1 server' : `${shown} servers`)

export const overview = {
  title: 'Overview',
  figures: {
    label: 'Key figures',
    servers: 'Servers',
    size: (vcpus: string, memory: string) => `${vcpus} vCPUs · ${memory} memory`,
    running: 'Running',
    ofAll: (share: string) => `${share} of all servers`,
    unknown: 'Unknown',
    unknownHint: 'The account stopped responding, or reported an unknown status',
    changed: 'Changed today',
    changedHint: 'Since midnight UTC, new servers not counted',
    show: (name: string, shown: string) => `Show servers: ${name}, ${shown}`,
    failed: 'not available',
  },
  servers,
  share: (name: string, count: number, shown: string, share: string) =>
    `${name}: ${servers(count, shown)}, ${share}`,
  only: (first: string) => `All servers: ${first}.`,
  none: 'None',
  others: (count: string) => `${count} others`,
  allOthers: 'All others',
  notUpdated: (time: string) => `Data from ${time}. The last update failed.`,
  column: {
    servers: 'Servers',
    share: 'Share',
    vcpus: 'vCPUs',
    memory: 'Memory',
    disks: 'Disks',
    day: 'Day',
    countSource: 'Source',
    all: 'All',
    status: 'Status',
    age: 'Last full sync',
  },
  status: {
    title: 'By status',
    column: 'Status',
    summary: (first: string, share: string) => `Most servers: ${first}, ${share}.`,
  },
  region: {
    title: 'By region',
    column: 'Region',
    summary: (first: string, share: string) => `Most servers: ${first}, ${share}.`,
  },
  project: {
    title: 'By project',
    column: 'Project',
    summary: (first: string, share: string) => `Most servers: ${first}, ${share}.`,
  },
  provider: {
    title: 'By provider and status',
    column: 'Provider',
    summary: (first: string, share: string) => `Most servers: ${first}, ${share}.`,
  },
  growth: {
    title: 'Servers over 90 days',
    days: 'Servers per day. Use the arrow keys to move between days. A day opens the current servers that were created by then.',
    more: (count: string, day: string) => `${count} more servers than on ${day}.`,
    fewer: (count: string, day: string) => `${count} fewer servers than on ${day}.`,
    same: (day: string) => `Same number of servers as on ${day}.`,
    estimated:
      'Dashed: estimated from the creation dates of current servers, because no count was recorded on those days.',
    cut: (from: string) => `The scale starts at ${from}.`,
    day: (day: string, count: number, shown: string) => `${day}: ${servers(count, shown)}`,
    estimatedDay: (day: string, count: number, shown: string) =>
      `${day}: ${servers(count, shown)}, estimated`,
    counted: 'counted',
    isEstimated: 'estimated',
  },
  accounts: {
    title: 'Accounts by data age',
    stale: (stale: number, all: string) =>
      stale === 1
        ? `1 of ${all} accounts is not up to date.`
        : `${stale} of ${all} accounts are not up to date.`,
    fresh: (all: number, shown: string) =>
      all === 1 ? 'The account is up to date.' : `All ${shown} accounts are up to date.`,
    lastKnown: (time: string, summary: string) => `Outdated. Last known at ${time}: ${summary}`,
    wasConnected: 'was up to date',
    empty: 'No account is attached yet.',
    name: 'Account',
    never: 'never',
    all: (count: string) => `All ${count} accounts`,
    open: (name: string) => `Open account ${name}`,
    notAllowed: (reason: string) => `You do not have access to accounts. ${reason}`,
    states: {
      init: 'waiting for first sync',
      connected: 'up to date',
      late: 'late',
      degraded: 'partly connected',
      disconnected: 'last sync failed',
      lost: 'unreachable',
      disabled: 'disabled',
    },
  },
  empty: {
    title: 'No servers yet',
    text: 'Servers come from cloud accounts and hypervisors. Attach an account, and its servers appear after the first sync.',
    waiting: (count: number, shown: string) =>
      count === 1
        ? '1 account is attached. Its servers appear after the first sync.'
        : `${shown} accounts are attached. Their servers appear after the first sync.`,
    elsewhere:
      'You see the servers of the current project or domain. Switch at the top of the page to see others.',
    attach: 'Attach account',
    accounts: 'Show accounts',
    demo: 'Just trying it out? Start Muster with simulated servers:',
  },
  notAllowed: 'You do not have access to servers here',
}
