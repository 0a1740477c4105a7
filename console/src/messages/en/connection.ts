/** The state of the connection and of queries. */
export const connection = {
  live: 'live',
  liveHint: 'Data refreshes automatically while this tab is visible.',
  disconnected: (time: string) => `Disconnected since ${time}, retrying`,
  disconnectedText: 'Muster does not answer. The page refreshes as soon as it does.',
  offlineText: 'This device is offline. The page refreshes as soon as the network is back.',
  waiting: (time: string) => `Waiting for data since ${time}`,
  waitingText: 'Muster responds, but not all data on this page could be refreshed.',
  retry: 'Retry now',
  searching: 'Searching…',
}
