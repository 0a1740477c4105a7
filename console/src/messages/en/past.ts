export const past = {
  label: 'Time',
  now: 'Now',
  hourAgo: 'An hour ago',
  dayAgo: 'Yesterday at this time',
  choose: 'Choose a time…',
  title: 'Show the inventory as it was',
  time: 'Time',
  recorded: 'Recorded time',
  since: (time: string) => `Recorded since ${time}`,
  show: 'Show',
  notATime: 'Enter a date and a time',
  inFuture: 'This time has not come yet',
  notRecorded: 'This time is not recorded',
  nothing: 'Nothing is recorded yet',
  tooEarly: (time: string) => `Nothing is recorded before ${time}`,
  shown: (time: string) => `You see the past: ${time}.`,
  text: 'Actions are off. Permissions and the names of projects are those of today.',
  preparing: (percent: string) => `Preparing this moment: ${percent}`,
  back: 'Back to now',
  compare: 'Compare with now',
  gaps: 'Not observed',
  gap: (account: string, from: string | undefined, until: string | undefined) =>
    `${account} was not observed ${from === undefined ? 'before' : `from ${from}`}${
      until === undefined
        ? ' and is not observed yet'
        : `${from === undefined ? ' ' : ' to '}${until}`
    }. Its servers are shown as they were last seen.`,
  servers: {
    title: 'Compare servers',
    field: 'Property',
    different: 'Different',
    same: 'Same',
    none: 'None',
    between: 'Select 2 to 5 servers',
  },
  diff: {
    title: 'What is different',
    between: (from: string, to: string) => `From ${from} to ${to}`,
    counts: (appeared: string, gone: string, changed: string) =>
      `${appeared} appeared, ${gone} gone, ${changed} changed`,
    changes: { appeared: 'Appeared', gone: 'Gone', changed: 'Changed' },
    empty: 'Nothing is different',
    emptyText: 'A server that changed and changed back is not listed. Changes lists each change.',
    toChanges: 'All changes in this time',
    toPast: 'Servers at that time',
    change: 'Change',
    server: 'Server',
    what: 'What is different',
  },
}
