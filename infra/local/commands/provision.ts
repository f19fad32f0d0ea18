import { isObject } from '#shared/core/json/is-object.ts'
import { readEvent } from './read-event.ts'
import { runTask } from './run-task.ts'

await runTask('provision-account', async () => {
  const event = await readEvent('provision')
  // There is no Secrets Manager on one machine: the command prints the token.
  return isObject(event) ? { token_in: 'answer', ...event } : event
})
