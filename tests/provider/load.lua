-- For wrk: every answer is to be the file that EXPECTED names. Says how many were and how many were not.
local file = assert(io.open(os.getenv("EXPECTED"), "rb"))
local expected = file:read("*a")
file:close()
right, wrong = 0, 0

function response(status, _, body)
    if status == 200 and body == expected then
        right = right + 1
    else
        wrong = wrong + 1
    end
end

local threads = {}

function setup(thread)
    table.insert(threads, thread)
end

function done()
    local all_right, all_wrong = 0, 0
    for _, thread in ipairs(threads) do
        all_right = all_right + thread:get("right")
        all_wrong = all_wrong + thread:get("wrong")
    end
    print("right " .. all_right .. " wrong " .. all_wrong)
end
