import { toJson } from '#shared/core/json/json.ts'
import { liveHandler } from '#shared/live/live-handler.ts'
import { takeMessage } from '#shared/live/take-message.ts'

/** Handles `$default`, a message from a device (C4). Binary messages are invalid. */
export const handler = liveHandler('$default', {
  open: () => null,
  async handle({ body, isBase64Encoded, requestContext }) {
    const reply = await takeMessage(requestContext.connectionId, isBase64Encoded ? undefined : body)
    return { statusCode: 200, ...(reply && { body: toJson(reply) }) }
  },
})
