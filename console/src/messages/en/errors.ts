export const errors = {
  requestId: 'Request ID',
  unreachable: 'Cannot reach Muster',
  unreachableText: 'The connection failed. Check that Muster is running, then try again.',
  forbidden: 'Access denied',
  forbiddenText: (details: string) =>
    `${details} Ask an administrator for a role that allows it, or switch to another project.`,
  codeNeeded: 'A code is needed',
  codeNeededText: 'Try again, and enter a code of your second factor. Nothing was changed.',
  noRole: 'You have no role yet',
  noRoleText:
    'Ask an owner of a project or an administrator for a role. Then log out and in again.',
  notFound: 'Not found, or you do not have access',
  unavailable: 'Muster is busy or its database is unavailable',
  limited: 'Too many requests',
  retryText: (span: string) => `Try again in ${span}.`,
  retryLaterText: 'Try again in a few seconds.',
  failed: 'Internal error',
  failedText:
    'The error is logged under the request ID below. Give it to the administrator of Muster.',
  refused: 'Request rejected',
  unexpected: 'This page crashed',
  unexpectedText: 'Reload it. If it crashes again, please report a bug.',
  noPage: 'Page not found',
  noPageText: 'Check the address.',
  toOverview: 'Go to the overview',
}
