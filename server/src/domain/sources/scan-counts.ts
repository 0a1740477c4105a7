import type { SyncRun } from './account.ts'

export type ScanResult = SyncRun['result']
const results: readonly ScanResult[] = ['complete', 'failed', 'postponed']

export interface ScanCount {
  readonly provider: string
  readonly result: ScanResult
  readonly count: number
}

/** Counts the scans of this process by provider and result. */
export function createScanCounts() {
  const counts = new Map<string, Record<ScanResult, number>>()
  return {
    add(provider: string, result: ScanResult): void {
      const known = counts.get(provider) ?? { complete: 0, failed: 0, postponed: 0 }
      known[result] += 1
      counts.set(provider, known)
    },
    read: (): ScanCount[] =>
      [...counts].flatMap(([provider, byResult]) =>
        results.map((result) => ({ provider, result, count: byResult[result] })),
      ),
  }
}
export type ScanCounts = ReturnType<typeof createScanCounts>
