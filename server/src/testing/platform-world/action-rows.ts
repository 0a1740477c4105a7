/** Who may act on servers and see tasks; see `persona-table.ts`. The servers here have no account. */
export const actionRows = {
  startServer: {
    home: '!!! -0 -cc -c -cc',
    beside: '!!! -0 -00 -c -cc',
    other: '!!! -c -00 -0 -cc',
  },
  stopServer: {
    home: '!!! -0 -cc -c -cc',
    beside: '!!! -0 -00 -c -cc',
    other: '!!! -c -00 -0 -cc',
  },
  restartServer: {
    home: '!!! -0 -cc -c -cc',
    beside: '!!! -0 -00 -c -cc',
    other: '!!! -c -00 -0 -cc',
  },
  resetServer: {
    home: '!!! -0 -cc -c -cc',
    beside: '!!! -0 -00 -c -cc',
    other: '!!! -c -00 -0 -cc',
  },
  suspendServer: {
    home: '!!! -0 -cc -c -cc',
    beside: '!!! -0 -00 -c -cc',
    other: '!!! -c -00 -0 -cc',
  },
  resumeServer: {
    home: '!!! -0 -cc -c -cc',
    beside: '!!! -0 -00 -c -cc',
    other: '!!! -c -00 -0 -cc',
  },
  changeServerConfig: {
    home: '!!! -0 -cc -c -cc',
    beside: '!!! -0 -00 -c -cc',
    other: '!!! -c -00 -0 -cc',
  },
  deleteServer: {
    home: '!!! -0 --c -c -cc',
    beside: '!!! -0 --0 -c -cc',
    other: '!!! -c --0 -0 -cc',
  },
  cancelServerDeletion: {
    home: '!!! -0 --c -c -cc',
    beside: '!!! -0 --0 -c -cc',
    other: '!!! -c --0 -0 -cc',
  },
  purgeServer: {
    home: '!!! -0 --+ -+ -++',
    beside: '!!! -0 --0 -+ -++',
    other: '!!! -+ --0 -0 -++',
  },
  updateServer: {
    home: '!!! -0 -++ -+ -++',
    beside: '!!! -0 -00 -+ -++',
    other: '!!! -+ -00 -0 -++',
  },
  getServerActions: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  getTask: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  listServerTasks: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  getBatch: {
    home: '!!! -0 +++ ++ +++',
    beside: '!!! -0 000 ++ +++',
    other: '!!! -+ 000 00 +++',
  },
  listTasks: {
    home: '!!! -o +++ ++ +++',
    beside: '!!! -o ooo ++ +++',
    other: '!!! -+ ooo oo +++',
  },
  listBatches: {
    home: '!!! -o +++ ++ +++',
    beside: '!!! -o ooo ++ +++',
    other: '!!! -+ ooo oo +++',
  },
  cancelTask: {
    home: '!!! -0 -++ -+ -++',
    beside: '!!! -0 000 -+ -++',
    other: '!!! -+ 000 00 -++',
  },
  cancelBatch: {
    home: '!!! -0 -++ -+ -++',
    beside: '!!! -0 000 -+ -++',
    other: '!!! -+ 000 00 -++',
  },
  // A server that the caller does not see is a refused item of the batch.
  createBatch: { any: '!!! -+ -++ -+ -++' },
} as const
