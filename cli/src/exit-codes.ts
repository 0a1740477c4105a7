/** The exit codes, as `muster help exit-codes` prints them. */
export const exitCodes = {
  ok: [0, 'Success. A list may be empty.'],
  error: [1, 'The API refused the request, or something unexpected happened.'],
  usage: [2, 'The command line is wrong. Nothing was sent.'],
  notFound: [3, 'There is no such item, or several have the name.'],
  unauthenticated: [4, 'You are not logged in, or the login was refused.'],
  forbidden: [5, 'You do not have the permission.'],
  conflict: [6, 'The item is in the wrong state, or something else conflicts.'],
  unavailable: [7, 'No answer, a time limit, or a rate limit. Try again later.'],
  partial: [8, 'An action on several items failed for some of them.'],
  interrupted: [130, 'Ended by Ctrl-C.'],
} as const satisfies Readonly<Record<string, readonly [code: number, meaning: string]>>

export type ExitReason = keyof typeof exitCodes

const reasonOfStatus: Readonly<Record<number, ExitReason>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'notFound',
  408: 'unavailable',
  409: 'conflict',
  412: 'conflict',
  422: 'conflict',
  429: 'unavailable',
  502: 'unavailable',
  503: 'unavailable',
  504: 'unavailable',
}

export const reasonOf = (status: number): ExitReason => reasonOfStatus[status] ?? 'error'

export const codeOf = (reason: ExitReason): number => exitCodes[reason][0]
