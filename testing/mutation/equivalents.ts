interface Equivalent {
  readonly file: string
  /** Part of the line. */
  readonly code: string
  readonly mutation: string
  readonly reason: string
}

/** Mutants that change nothing that a caller could see. */
export const equivalents: readonly Equivalent[] = [
  {
    file: 'server/src/storage/backup/restore-rows.ts',
    code: 'the backup has no header',
    mutation: `throw new Error('the backup has no header') → ;`,
    reason: 'A file without a header is rejected before. The check is for the type.',
  },
  {
    file: 'server/src/domain/tasks/run-task.ts',
    code: 'if (time <= 0)',
    mutation: '0 → 1',
    reason: 'Whether a request may take one millisecond.',
  },
  {
    file: 'server/src/domain/tasks/watch-request.ts',
    code: 'delay: Math.min(2 * delay, longest)',
    mutation: '2 → 3',
    reason: 'Only how fast the pauses between readings grow. Their limit is tested.',
  },
  {
    file: 'server/src/storage/tasks/task-commits.ts',
    code: 'chunk(refusedIds, 100)',
    mutation: '100 → 101',
    reason: 'Only how many rows one statement inserts.',
  },
  {
    file: 'server/src/egress/webhook-sink.ts',
    code: 'return incoming.statusCode ?? 0',
    mutation: 'incoming.statusCode ?? 0 → incoming.statusCode',
    reason: 'A response always has a status. The default is for the type.',
  },
  {
    file: 'server/src/domain/sources/find-former.ts',
    code: '? -1 : 1',
    mutation: '1 → 2',
    reason: 'Only the sign of a comparison counts.',
  },
  {
    file: 'server/src/domain/sources/account-scheduler.ts',
    code: 'pause(shortStop',
    mutation: 'false → true',
    reason: 'Only whether a timer of one second keeps an ending process alive.',
  },
  {
    file: 'server/src/domain/sources/mark-servers-unknown.ts',
    code: 'if (others.length > 0)',
    mutation: '> → >=',
    reason: 'Writing nothing changes nothing.',
  },
  {
    file: 'server/src/domain/sources/administer-accounts.ts',
    code: "domainId: projects.get(projectId)?.domainId ?? ''",
    mutation: "projects.get(projectId)?.domainId ?? '' → projects.get(projectId)?.domainId",
    reason: 'No scope has a domain without an id. The default is for the type.',
  },
  {
    file: 'server/src/domain/identity/administration/credentials.ts',
    code: "return project?.domain_id ?? ''",
    mutation: "project?.domain_id ?? '' → project?.domain_id",
    reason: 'An access key is deleted with its project. The default is for the type.',
  },
  {
    file: 'server/src/domain/identity/methods/access-key.ts',
    code: 'if (!verdict.isValid && wasKnown)',
    mutation: '&& → ||',
    reason: 'Reads once more than needed. Only the time of a login depends on it.',
  },
  {
    file: 'server/src/domain/inventory/list-resources.ts',
    code: 'finder.find(visible, idOrName, mostNamesakes + 1)',
    mutation: '1 → 2',
    reason: 'Reads one more namesake, which is not listed.',
  },
  {
    file: 'server/src/domain/inventory/get-server.ts',
    code: 'finder.findByName(',
    mutation: '1 → 2',
    reason: 'Reads one more namesake, which is not listed.',
  },
  {
    file: 'server/src/storage/registry/row-visibility.ts',
    code: 'if (self !== undefined)',
    mutation: 'self !== undefined → true',
    reason: 'A comparison with NULL matches nothing, so the condition adds no row.',
  },
  {
    file: 'server/src/storage/servers/load-by-id.ts',
    code: 'if (!batch)',
    mutation: '!batch → true',
    reason: 'Only how many requests share a round trip.',
  },
  {
    file: 'server/src/domain/identity/administration/own-password.ts',
    code: 'if (now?.passwordHash !== credentials?.passwordHash)',
    mutation: 'now?.passwordHash !== credentials?.passwordHash → false',
    reason: 'The change that came first revoked the token, so the caller is refused before.',
  },
  {
    file: 'server/src/storage/backup/format.ts',
    code: 'if (table !== undefined && columns)',
    mutation: '&& → ||',
    reason: 'A line has both or neither. The check is for the type.',
  },
  {
    file: 'server/src/domain/sources/limit-facts.ts',
    code: 'if (!isCut && !isOdd)',
    mutation: '!isCut && !isOdd → false',
    reason: 'Only spares a copy: nothing of it is too long.',
  },
]
