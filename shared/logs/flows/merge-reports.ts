import type { IngestedReport } from './flow-store.ts'

/**
 * What one write has to do for several reports of a flow, in the order they came: the same as writing them one by one
 * (L11). The first report stays, the first close closes it; ingest time and domain are those of the first.
 */
function joined(first: IngestedReport, later: IngestedReport): IngestedReport {
  if (first.report.closing || !later.report.closing) return first
  return { ...first, report: { ...first.report, closing: later.report.closing } }
}

/** One report for each flow, in the order in which the flows first came. */
export function mergeReports<T extends IngestedReport>(reports: Iterable<T>): T[] {
  const flows = new Map<string, T>()
  for (const report of reports) {
    const name = `${report.claims.account_id} ${report.id}`
    const first = flows.get(name)
    flows.set(name, first ? { ...first, ...joined(first, report) } : report)
  }
  return [...flows.values()]
}
