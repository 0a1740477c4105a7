import type { TaskErrorClass } from '@muster/contract'

/** The classes of errors that a task has by itself. Refusals are worded as for a request. */
type OwnClass = Exclude<TaskErrorClass, '' | 'refused' | 'guest_did_not_stop'>

/** Why an action failed or was refused. */
export const problems = {
  tasks: {
    cancelled: 'Cancelled before anything was sent to the source.',
    permission_lost:
      'When the task started, its user no longer had the permission, or the server had been moved.',
    not_reached: 'The source could not be reached, so the request was not sent.',
    source_refused: 'The source refused the request and did nothing.',
    source_failed: 'The source began, but did not complete it.',
    no_answer: 'The source did not respond, or reported an error of its own.',
    time_limit: 'It did not end within the time limit.',
    server_gone: 'The source no longer has this server.',
    interrupted:
      'Muster or the account was stopped after the request was sent. Check the server, and repeat the action if you still want it.',
  } satisfies Record<OwnClass, string>,
  guestRuns: (seconds: string) =>
    seconds === ''
      ? 'The source asked the guest to shut down, but it kept running.'
      : `The source asked the guest to shut down, but it was still running after ${seconds} s.`,
  answer: (text: string) => `Details: ${text}`,
  shown: (status: string) => `The server was ${status.toLowerCase()}.`,
  done: (requests: string) => `Done: ${requests}.`,
  remaining: (requests: string) => `Not done: ${requests}.`,
  list: ', ',

  accountDeleted: 'The account of this server is deleted.',
  accountDisabled: (name: string) => `The account ${name} is disabled. Enable it first.`,
  accountReports: (name: string) =>
    `The account ${name} still reports this server. Only servers that their source no longer has can be removed.`,
  accountMisses: (name: string) => `The account ${name} does not report this server.`,
  notPermitted: (action: string, resource: string) =>
    `You do not have the permission to ${action} ${resource} here.`,
  observed: (name: string) =>
    `The account ${name} is attached to observe only. A system administrator can allow actions in its settings.`,
  silent: (name: string) =>
    `The source of the account ${name} does not respond. The account shows the reason.`,
  unsupported: (name: string, action: string) =>
    `The source of the account ${name} does not support this action: ${action}.`,
  already: (status: string) => `The server is already ${status.toLowerCase()}.`,
  wrongStatus: (status: string, action: string, from: string) =>
    `The server is ${status.toLowerCase()}. ${action} is possible when it is: ${from.toLowerCase()}.`,
  changing: (status: string) =>
    `The status of the server is: ${status}. Wait until its source has finished.`,
  deleted: 'The server is deleted.',
  inBin: 'The server is in the recycle bin. Restore it first.',
  notInBin: 'The server is not in the recycle bin.',
  protectedBy: {
    source:
      'The server is protected against deletion at its source. Turn the protection off first.',
    muster: 'The server is protected against deletion in Muster. Turn the protection off first.',
  },
  lostOnStop: (reason: string) =>
    `A stop would destroy the server: ${reason} You can only delete it now, without the recycle bin.`,
  cannotChange: (field: string) => `The source cannot do this: ${field}.`,
  unfinished: (action: string) =>
    `Another task of this server has not ended: ${action}. Wait for it, or cancel it.`,
  tooMany: {
    batches: (most: string) =>
      `You have ${most} unfinished batches. Wait until one has ended, or cancel one.`,
    tasks: (most: string) =>
      `You have ${most} queued tasks. Wait until some have ended, or select the servers in the list.`,
  },
}
