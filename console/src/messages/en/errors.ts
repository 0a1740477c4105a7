export const errors = {
  requestId: 'Request id',
  offline: 'You are offline',
  offlineText: 'What you see is from before. It is loaded again when the network is back.',
  unreachable: 'Muster does not answer',
  unreachableText:
    'The request did not arrive, or its answer did not. Check that Muster runs, then try again.',
  forbidden: 'You may not see this',
  forbiddenText: (details: string) =>
    `${details} Ask an administrator for a role that allows it, or switch to a project where you have one.`,
  notFound: 'This does not exist, or you may not see it',
  unavailable: 'Muster is busy or its database is away',
  unavailableText: (details: string) => `${details} It is usually back within seconds.`,
  failed: 'Something went wrong in Muster',
  failedText: 'It has been logged with the request id below. Tell it to whoever runs Muster.',
  refused: 'Muster refused this',
  unexpected: 'This page failed',
  unexpectedText: 'Load it again. If it fails again, the fault is ours.',
  noPage: 'There is no such page',
  noPageText: 'The address may be mistyped, or from an older version.',
  toOverview: 'Go to the overview',
}
