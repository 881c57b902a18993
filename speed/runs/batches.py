"""Measures time and memory for 10,000 calls sent in batches, from the plan to the last response.

    python -m speed.runs.batches [--calls 10000] [--batch-calls 50000]

On SQLite, or on the database in DATABASE_URL, with the counting server on the same machine, which answers
immediately. Prints for each part the seconds, the CPU time of this process, and the increase of its peak memory. For
comparison, it prints the same for a tenth of the calls first.
"""

import argparse
from contextlib import closing

from speed.laboratory import Server, laboratory, make_release, measured


def measure(server: Server, calls: int, batch_calls: int, number: int) -> None:
    from judging.call_batches.advancing import make_all_calls
    from judging.models import CallState, PromptTemplate
    from judging.runs.plan import plan_run
    from judging.runs.runs import create_run, start_run

    model = server.model(f"Bench {number}", offers_batches=True, batch_calls=batch_calls)
    release = make_release(calls, number=number)
    run = create_run(
        release=release, language_models=[model], templates=PromptTemplate.objects.filter(code="5"), in_batches=True
    )
    print(f"{calls:,} calls")
    seconds = measured("planned", lambda: plan_run(run))
    seconds += measured("started", lambda: start_run(run=run))
    seconds += measured("sent, answered and landed", make_all_calls)
    done = run.calls.filter(state=CallState.DONE).count()
    if not done == run.responses.count() == calls:
        raise SystemExit(f"{done} calls done of {calls}")
    sizes = list(run.call_batches.values_list("bytes", flat=True))
    print(f"  in all {seconds:.1f} s; {len(sizes)} batches, {sum(sizes) / 1e6:.1f} MB\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--batch-calls", type=int, default=50_000)
    options = parser.parse_args()
    with laboratory(BATCH_POLL_SECONDS="0.5") as folder, closing(Server(folder)) as server:
        measure(server, options.calls // 10, options.batch_calls, 1)
        measure(server, options.calls, options.batch_calls, 2)


if __name__ == "__main__":
    main()
