import { RequestError } from '../functions/shared/request-error.ts';

/** The largest form that is taken (interface, section 8). */
export const MAX_FORM_BYTES = 16 * 1024 * 1024;

/** The refusal of a form that is too large. */
export const tooLarge = (): RequestError =>
  new RequestError(
    'payload_too_large',
    `the form is too large: it may have ${MAX_FORM_BYTES} bytes; upload larger files through POST /media/upload-url`,
  );
