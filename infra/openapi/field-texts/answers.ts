import { integer, type Texts, text } from './text.ts'

/** What every answer, page and problem has. */
export const answersTexts: Texts = {
  code: text('The reason in snake_case, for programs to decide by.', 'not_found'),
  count: integer('The same number as `total`, kept for clients that read this name.', 1),
  data: text('The object or the list of objects that the request is about.'),
  deleted_count: integer('How many tokens the request deleted.', 2),
  detail: text(
    'A sentence about this occurrence, for people; programs read `code`.',
    'The requested resource was not found.',
  ),
  errors: text(
    'Only with status 422: field → messages. Nested fields have dotted paths with positions from 0 (`conditions.0.values`); rules across fields are under `base`.',
    { name: ["can't be blank"] },
  ),
  limit: integer('How many rows a page has at most, 1 to 100.', 50),
  metadata: text('Position of this page in its list, and how long the list is.'),
  next_page: text('Cursor to send as `page_cursor` for the page after this one; null on the last page.', null),
  pending: integer(
    'How many entries are still to be written after this answer. `GET` of the list shows what is there.',
    5000,
  ),
  prev_page: text('Cursor to send as `page_cursor` for the page before this one; null on the first page.', null),
  request_id: text(
    'Same as the header `x-request-id`; quote it when you report a fault.',
    '0f6b7a52-6a55-4f0e-9d4c-2f1b8c1f7d11',
  ),
  status: text('`ok` when the request was taken.', 'ok'),
  title: text('The HTTP reason phrase that belongs to `status`.', 'Not Found'),
  total: integer('How many rows match the filters, on all pages together.', 1),
  truncated: text('Names of fields that are cut because the answer would be too large; absent when nothing is cut.'),
}
