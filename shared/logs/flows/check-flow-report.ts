import type { FieldErrors } from '../../core/errors.ts'
import { explainFlowReport } from './explain-flow-report.ts'
import type { FlowReport } from './flow-report.ts'
import { readFlowReport } from './read-flow-report.ts'

/**
 * A report, or the messages of its fields (L10). The quick reader takes what gateways usually send; only what it does
 * not take is looked at field by field.
 */
export function checkFlowReport(record: unknown): { report: FlowReport } | { errors: FieldErrors } {
  const report = readFlowReport(record)
  return report ? { report } : explainFlowReport(record)
}
