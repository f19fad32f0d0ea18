import { explainFlowReport } from './explain-flow-report.ts'
import type { FlowReport } from './flow-report.ts'
import { readFlowReport } from './read-flow-report.ts'
import type { Rejection } from './record-faults.ts'

/**
 * A report, or the first messages of its fields (L10): with none of them the record is judged and not explained. The
 * quick reader takes what gateways usually send; only what it does not take is looked at field by field.
 */
export function checkFlowReport(record: unknown, mostMessages?: number): { report: FlowReport } | Rejection {
  const report = readFlowReport(record)
  return report ? { report } : explainFlowReport(record, mostMessages)
}
