import { plural } from './plural.ts'

const servers = (_: number, shown: string) => plural(shown, 'server', 'servers')

export const overview = {
  title: 'Overview',
  figures: {
    label: 'Key figures',
    servers: 'Servers',
    size: (vcpus: string, memory: string) => `${plural(vcpus, 'vCPU', 'vCPUs')} · ${memory} memory`,
    running: 'Running',
    ofAll: (share: string) => `${share} of all servers`,
    unknown: 'Unknown',
    unknownHint: 'The account stopped responding, or reported an unknown status',
    stopped: 'Stopped or suspended',
    show: (name: string, shown: string) => `Show servers: ${name}, ${shown}`,
    notAvailable: 'not available',
  },
  attention: {
    title: 'Needs attention',
    allChecks: 'All checks',
    nothing: 'Nothing needs attention',
    looked: (checks: number, accounts: string) =>
      `${checks === 1 ? '1 check' : `${checks} checks`} without violations, no failing accounts of ${accounts}, no failed servers or tasks.`,
    more: (count: number, shown: string) => (count === 1 ? '1 more' : `${shown} more`),
    violated: (name: string, count: string) => `${name}: ${count}`,
    servers: (count: number, shown: string) => `${servers(count, shown)} with a failed status`,
    serversReason: 'Their source reports that something failed.',
    tasks: (count: number, shown: string) =>
      count === 1 ? '1 task failed' : `${shown} tasks failed`,
    tasksReason: 'Actions in Muster, in the last 24 hours.',
    logins: (count: number, shown: string) =>
      count === 1 ? '1 break-glass login' : `${shown} break-glass logins`,
    loginsReason:
      'With a password that other users of the domain cannot use, in the last 24 hours.',
    programs: (count: number, shown: string) =>
      count === 1 ? '1 service account to look at' : `${shown} service accounts to look at`,
    programsReason: 'Without an active owner, or unused for long.',
    lastKnown: (time: string) => `Last known at ${time}`,
    lastSync: 'Last full sync:',
  },
  recent: {
    title: 'Last 24 hours',
    summary: (total: number, shown: string) =>
      total === 0
        ? 'No server has changed.'
        : total === 1
          ? '1 change of a server.'
          : `${shown} changes of servers.`,
    partial: 'Only the newest changes are counted.',
    all: 'All changes',
    kinds: {
      appeared: 'Appeared',
      gone: 'Gone',
      size: 'Resized',
      stopped: 'Stopped',
    },
    show: (kind: string, count: string) => `${kind}: ${count}. Show changes`,
    hour: (time: string, count: string) => `${time}: ${count}`,
  },
  fleet: { title: 'Servers', by: 'Break down by' },
  servers,
  share: (name: string, count: number, shown: string, share: string) =>
    `${name}: ${servers(count, shown)}, ${share}`,
  only: (first: string) => `All servers: ${first}.`,
  none: 'None',
  others: (count: string) => plural(count, 'other', 'others'),
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
  os_name: {
    title: 'By operating system',
    column: 'Operating system',
    summary: (first: string, share: string) => `Most servers: ${first}, ${share}.`,
  },
  provider: {
    title: 'By provider',
    column: 'Provider',
    summary: (first: string, share: string) => `Most servers: ${first}, ${share}.`,
  },
  growth: {
    title: 'Servers over 90 days',
    days: 'Servers per day. Use the arrow keys to move between days. A day opens the current servers that were created by then.',
    more: (count: string, day: string) =>
      `${plural(count, 'more server', 'more servers')} than on ${day}.`,
    fewer: (count: string, day: string) =>
      `${plural(count, 'fewer server', 'fewer servers')} than on ${day}.`,
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
    never: 'never',
    states: {
      init: 'waiting for first sync',
      connected: 'up to date',
      late: 'late',
      degraded: 'partly connected',
      disconnected: 'sync failed',
      lost: 'unreachable',
      disabled: 'disabled',
    },
  },
  empty: {
    title: 'No servers yet',
    steps: [
      {
        title: 'Attach a cloud account or a hypervisor',
        text: 'Its servers appear after the first sync, and every change of them is recorded.',
        action: 'Attach account',
      },
      {
        title: 'Give people access',
        text: 'A project has servers, and people with roles in it see them.',
        action: 'Open projects',
      },
      {
        title: 'Create an access key',
        text: 'Programs list and change servers with it, with your rights.',
        action: 'Create access key',
      },
    ],
    waiting: (count: number, shown: string) =>
      count === 1
        ? '1 account is attached. Its servers appear after the first sync.'
        : `${shown} accounts are attached. Their servers appear after the first sync.`,
    elsewhere:
      'You see the servers of the current project or domain. Switch at the top of the page to see others.',
    accounts: 'Show accounts',
    demo: 'Just trying it out? Start Muster with simulated servers:',
  },
  notAllowed: 'You do not have access to servers here',
}
