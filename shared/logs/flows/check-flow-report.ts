import { fastParseFlowReport } from './fast-parse-flow-report.ts'
import type { FlowReport } from './flow-report.ts'
import type { Rejection } from './record-faults.ts'
import { validateFlowReport } from './validate-flow-report.ts'

/**
 * A report, or the first messages of its fields (L10): with none of them the record is judged and not explained. The
 * quick reader takes what gateways usually send; only what it does not take is looked at field by field.
 */
export function checkFlowReport(record: unknown, mostMessages?: number): { report: FlowReport } | Rejection {
  const report = fastParseFlowReport(record)
  return report ? { report } : validateFlowReport(record, mostMessages)
}
