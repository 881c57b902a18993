"""Messages through the folder are read whole and in order, whoever writes at the same time."""

import threading

import pytest
from kombu import Connection

import config.celery  # noqa: F401  # names the transport


@pytest.fixture
def queue_folder(tmp_path):
    for name in ("queue", "control", "processed"):
        (tmp_path / name).mkdir()
    return {
        "data_folder_in": str(tmp_path / "queue"),
        "data_folder_out": str(tmp_path / "queue"),
        "control_folder": str(tmp_path / "control"),
        "processed_folder": str(tmp_path / "processed"),
    }


def test_no_message_is_read_half_written(queue_folder):
    sent = 4 * 50
    payload = "x" * 20_000

    def write(writer: int) -> None:
        with Connection("files://localhost", transport_options=queue_folder) as connection:
            queue = connection.SimpleQueue("wakeups")
            for number in range(50):
                queue.put({"writer": writer, "number": number, "payload": payload})
            queue.close()

    writers = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for writer in writers:
        writer.start()
    read: list[dict] = []
    with Connection("files://localhost", transport_options=queue_folder | {"polling_interval": 0.001}) as connection:
        queue = connection.SimpleQueue("wakeups")
        while len(read) < sent:
            message = queue.get(timeout=30)
            read.append(message.payload)
            message.ack()
        queue.close()
    assert all(message["payload"] == payload for message in read)
    for n in range(4):
        assert [message["number"] for message in read if message["writer"] == n] == list(range(50))
