import { integer, type Texts, time } from './text.ts'

/** Flow reports and the flow log. */
export const flowsTexts: Texts = {
  accepted: integer('How many records were accepted.', 2),
  errors_truncated: { description: 'Whether more records are not valid than are listed.', example: false },
  flow_end: { description: 'When the flow ended; null while it is open.', example: time, format: 'date-time' },
  flow_start: { description: 'When the flow began.', example: time, format: 'date-time' },
  inner_dst_ip: { description: 'Tunnel address of the responder.', example: '100.64.0.3' },
  inner_dst_port: integer('Port at the responder.', 443),
  inner_src_ip: { description: 'Tunnel address of the initiator.', example: '100.64.0.2' },
  inner_src_port: integer('Port at the initiator.', 50_000),
  outers: { description: 'The outer connections that carried the flow.' },
  rejected: integer('How many records were not valid.', 1),
  role: { description: 'Which end of the connection reports.', example: 'responder' },
}
