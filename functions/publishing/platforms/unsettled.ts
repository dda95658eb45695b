import type { Step } from './step.ts';

/** The parts of a step that tell which sends are settled. */
type Sends = Pick<Step<unknown>, 'job' | 'handle' | 'keep'>;

const sinceSettled = ({ job, handle }: Sends): number => job.target.sends - Number(handle.sends_before ?? 0);

/**
 * Notes, while preparing, that the sends so far are settled. Preparing comes after a send that surely had no
 * effect; but if that one only repeated a send of unknown fate, the earlier one stays unsettled.
 */
export function settleSends(step: Sends): void {
  if (sinceSettled(step) <= 1) step.keep({ sends_before: step.job.target.sends });
}

/** Whether the send under way, or the one last made, repeats one of unknown fate. */
export const isRepeat = (step: Sends): boolean => sinceSettled(step) > 1;

/** Whether, while preparing, an earlier send is still of unknown fate. */
export const isUnsettled = isRepeat;
