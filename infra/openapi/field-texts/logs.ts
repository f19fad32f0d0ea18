import { integer, type Texts, time } from './text.ts'

/** The change, session and api_request logs. */
export const logsTexts: Texts = {
  actor_email: { description: 'Email of the actor at that time.', example: 'ada@example.com' },
  actor_name: { description: 'Name of the actor at that time.', example: 'Ada' },
  actor_type: { description: 'Type of the actor at that time.', example: 'account_admin_user' },
  after: { description: 'The object after the change; null when it was deleted. Secrets are redacted.' },
  before: { description: 'The object before the change; null when it was created. Secrets are redacted.' },
  content_length: integer('Length of the request body in bytes.', 128),
  ip: { description: 'Address the request came from.', example: '192.0.2.10' },
  log_id: { description: 'Id of the log entry.', example: '06f2b5c4d8e17a3900000000' },
  method: { description: 'Method of the request.', example: 'POST' },
  object: { description: 'Kind of the changed object.', example: 'group' },
  operation: { description: 'What was done.', example: 'update' },
  path: { description: 'Path of the request; of a proof, its hashes in base64, from the leaf upward.' },
  run_id: { description: 'The sync run that caused the change; null where none did.', example: null, format: 'uuid' },
  subject: { description: 'Who acted, from where and with what; null for the service itself.' },
  timestamp: { description: 'When it happened.', example: time, format: 'date-time' },
  user_agent: { description: 'Software that sent the request.', example: 'curl/8.5.0' },
}
